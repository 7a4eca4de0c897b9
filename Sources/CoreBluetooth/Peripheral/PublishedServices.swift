package import BridgeProtocol
import CCoreBluetooth
import Foundation

/// An app's published services under the numbers that they have at the service. What was published does not change any
/// more, whatever the app does with its objects.
package struct PublishedServices {
  private struct Published {
    let object: CBMutableService
    let characteristics: [Int]
    /// The service has confirmed it, or is about to.
    var isAdded = false
  }

  package init() {}

  /// What is wrong with a service.
  package enum Problem: Error {
    case alreadyAdded
    case includesUnknown
    case unsupportedDescriptor
    case reserved
    case valueTooLong
  }

  private var services: [Int: Published] = [:]
  private var characteristics: [Int: CBMutableCharacteristic] = [:]
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var nextNumber = 1

  /// Services whose 16-bit UUIDs a phone keeps for itself.
  private static let reserved: Set<UInt32> = [0x1800, 0x1801, 0x1805, 0x180A, 0x180F, 0x1812, 0x181E]

  // MARK: Adding and removing

  /// Takes a service in, to be confirmed by `confirm`.
  package mutating func add(_ service: CBMutableService, rules: PeripheralRules) throws(Problem) -> HostedService {
    guard number(of: service) == nil else { throw .alreadyAdded }
    if rules.refusesReservedServices, service.uuid.data.count == 2, let short = service.uuid.value.short,
      Self.reserved.contains(short)
    {
      throw .reserved
    }
    var included: [Int] = []
    for other in service.includedServices ?? [] {
      guard let number = number(of: other), services[number]?.isAdded == true else { throw .includesUnknown }
      included.append(number)
    }
    let objects = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
    let descriptors = try objects.map { object throws(Problem) in try self.descriptors(of: object) }
    var hosted = HostedService(
      id: take(), uuid: service.uuid.value, isPrimary: service.isPrimary, includedServices: included)
    for (object, descriptors) in zip(objects, descriptors) {
      hosted.characteristics.append(
        HostedCharacteristic(
          id: take(), uuid: object.uuid.value,
          properties: CharacteristicProperties(rawValue: UInt16(truncatingIfNeeded: object.properties.rawValue)),
          permissions: AttributePermissions(rawValue: UInt8(truncatingIfNeeded: object.permissions.rawValue)),
          value: object.value.map { Array($0) }, descriptors: descriptors))
    }
    note(service, objects, hosted, isAdded: false)
    return hosted
  }

  private mutating func take() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  private mutating func note(
    _ service: CBMutableService, _ objects: [CBMutableCharacteristic], _ hosted: HostedService, isAdded: Bool
  ) {
    for (object, characteristic) in zip(objects, hosted.characteristics) {
      characteristics[characteristic.id] = object
      numbers[ObjectIdentifier(object)] = characteristic.id
    }
    services[hosted.id] = Published(
      object: service, characteristics: hosted.characteristics.map(\.id), isAdded: isAdded)
    numbers[ObjectIdentifier(service)] = hosted.id
    let greatest = ([hosted.id] + hosted.characteristics.map(\.id)).max() ?? 0
    nextNumber = max(nextNumber, greatest + 1)
  }

  private func descriptors(of characteristic: CBMutableCharacteristic) throws(Problem) -> [HostedDescriptor] {
    characteristic.checkCachedValue()
    guard (characteristic.value?.count ?? 0) <= ProtocolLimits.maximumValueLength else { throw .valueTooLong }
    var result: [HostedDescriptor] = []
    for descriptor in characteristic.descriptors ?? [] {
      let value: [UInt8]
      switch (descriptor.uuid.value.short, descriptor.value) {
      case (0x2901, let text as String): value = Array(text.utf8)
      case (0x2904, let data as Data): value = Array(data)
      // The others are the system's.
      default: throw .unsupportedDescriptor
      }
      guard value.count <= ProtocolLimits.maximumValueLength else { throw .valueTooLong }
      result.append(HostedDescriptor(uuid: descriptor.uuid.value, value: value))
    }
    return result
  }

  /// - Returns: the service that was added; nil if it was removed meanwhile.
  mutating func confirm(_ number: Int, isAdded: Bool) -> CBMutableService? {
    guard let object = services[number]?.object else { return nil }
    if isAdded { services[number]?.isAdded = true } else { _ = remove(number) }
    return object
  }

  /// - Returns: the number, if it is published.
  mutating func remove(_ service: CBMutableService) -> Int? {
    guard let number = number(of: service) else { return nil }
    return remove(number)
  }

  private mutating func remove(_ number: Int) -> Int? {
    guard let published = services.removeValue(forKey: number) else { return nil }
    numbers[ObjectIdentifier(published.object)] = nil
    for number in published.characteristics {
      guard let object = characteristics.removeValue(forKey: number) else { continue }
      numbers[ObjectIdentifier(object)] = nil
      object.set(subscribedCentrals: [])
    }
    return number
  }

  mutating func removeAll() { for number in Array(services.keys) { _ = remove(number) } }

  // MARK: Finding

  private func number(of service: CBService) -> Int? { numbers[ObjectIdentifier(service)] }

  func number(of characteristic: CBMutableCharacteristic) -> Int? { numbers[ObjectIdentifier(characteristic)] }

  func characteristic(_ number: Int) -> CBMutableCharacteristic? { characteristics[number] }

  // MARK: Restoring

  /// Makes objects of what an earlier process had published.
  mutating func restore(_ hosted: [HostedService]) -> [CBMutableService] {
    var objects: [Int: CBMutableService] = [:]
    return hosted.map { hosted in
      let service = CBMutableService(type: CBUUID(hosted.uuid), primary: hosted.isPrimary)
      let characteristics = hosted.characteristics.map(\.restored)
      service.characteristics = characteristics
      service.includedServices = hosted.includedServices.compactMap { objects[$0] }
      objects[hosted.id] = service
      note(service, characteristics, hosted, isAdded: true)
      return service
    }
  }
}

extension HostedCharacteristic {
  fileprivate var restored: CBMutableCharacteristic {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(uuid), properties: CBCharacteristicProperties(rawValue: UInt(properties.rawValue)),
      value: value.map { Data($0) }, permissions: CBAttributePermissions(rawValue: UInt(permissions.rawValue)))
    if !descriptors.isEmpty {
      characteristic.descriptors = descriptors.map { descriptor in
        let isText = descriptor.uuid.short == 0x2901
        return CBMutableDescriptor(
          type: CBUUID(descriptor.uuid),
          value: isText ? String(decoding: descriptor.value, as: UTF8.self) : Data(descriptor.value))
      }
    }
    return characteristic
  }
}

extension PublishedServices.Problem {
  var error: BluetoothError {
    switch self {
    case .alreadyAdded: .invalidParameters.saying("The service has been added already.")
    case .includesUnknown: .invalidParameters.saying("An included service has not been added.")
    case .unsupportedDescriptor, .reserved: .uuidNotAllowed
    case .valueTooLong: .attribute(0x0D)
    }
  }
}
