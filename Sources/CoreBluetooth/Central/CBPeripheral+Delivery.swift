import BridgeProtocol
import CCoreBluetooth
import Foundation

// What a connected peripheral reports: on the app's queue, the state first, then the delegate.
extension CBPeripheral {
  private func attribute<Attribute: CBAttribute>(_ wireID: String, _: Attribute.Type) -> Attribute? {
    peripheral.withLock { $0.attributes[wireID] as? Attribute }
  }

  /// The attribute of that name; made if it is new.
  private func attribute<Attribute: CBAttribute>(_ wireID: String, or make: () -> Attribute) -> Attribute {
    if let known = attribute(wireID, Attribute.self) { return known }
    let new = make()
    peripheral.withLock { $0.attributes[wireID] = new }
    return new
  }

  // MARK: Values

  func didUpdate(_ update: DidUpdateValue) {
    guard let characteristic = attribute(update.characteristicId, CBCharacteristic.self) else { return }
    if update.error == nil { characteristic.set(value: Data(update.value)) }
    delegate?.peripheral(self, didUpdateValueFor: characteristic, error: update.error?.appError)
  }

  func didWrite(_ reply: DidWriteValue) {
    guard let characteristic = attribute(reply.characteristicId, CBCharacteristic.self) else { return }
    delegate?.peripheral(self, didWriteValueFor: characteristic, error: reply.error?.appError)
  }

  func didUpdate(_ update: DidUpdateNotification) {
    guard let characteristic = attribute(update.characteristicId, CBCharacteristic.self) else { return }
    characteristic.set(isNotifying: update.enabled)
    delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: update.error?.appError)
  }

  func didUpdate(_ update: DidUpdateDescriptorValue) {
    guard let descriptor = attribute(update.descriptorId, CBDescriptor.self) else { return }
    if update.error == nil { descriptor.set(value: update.value.appValue(of: descriptor.uuid)) }
    delegate?.peripheral(self, didUpdateValueFor: descriptor, error: update.error?.appError)
  }

  func didWrite(_ reply: DidWriteDescriptorValue) {
    guard let descriptor = attribute(reply.descriptorId, CBDescriptor.self) else { return }
    delegate?.peripheral(self, didWriteValueFor: descriptor, error: reply.error?.appError)
  }

  func didRead(_ reply: DidReadRSSI) {
    delegate?.peripheral(self, didReadRSSI: NSNumber(value: reply.rssi), error: reply.error?.appError)
  }

  func isReadyToWrite() { delegate?.peripheralIsReady(toSendWriteWithoutResponse: self) }

  func didOpen(_ channel: CBL2CAPChannel) { delegate?.peripheral(self, didOpen: channel, error: nil) }

  func didNotOpenChannel(_ error: BluetoothError) { delegate?.peripheral(self, didOpen: nil, error: error.appError) }

  // MARK: Discoveries

  /// What an earlier run of the app may have discovered.
  func restore(_ restored: [RestoredService]) {
    let services = restored.map { held in
      let service = service(held.service)
      service.set(
        characteristics: held.characteristics.map { held in
          let characteristic = characteristic(held.characteristic, of: service)
          characteristic.set(isNotifying: held.isNotifying)
          return characteristic
        })
      return service
    }
    peripheral[\.services] = services
  }

  /// - Parameter accumulates: whether what was found before stays; not with providers that name things anew each time.
  func didDiscover(_ reply: DidDiscoverServices, accumulates: Bool) {
    if reply.error == nil {
      // CoreBluetooth keeps these two for itself.
      let found = reply.services.map(service).filter { !Self.hidden.contains($0.uuid.value) }
      peripheral.withLock { $0.services = Self.merged($0.services, found, accumulates) }
    }
    delegate?.peripheral(self, didDiscoverServices: reply.error?.appError)
  }

  private static let hidden: Set = [BluetoothUUID(short: 0x1800), BluetoothUUID(short: 0x1801)]

  private func service(_ discovered: DiscoveredService) -> CBService {
    attribute(discovered.id) {
      CBService(
        uuid: CBUUID(discovered.uuid), isPrimary: discovered.isPrimary, peripheral: self, wireID: discovered.id)
    }
  }

  func didDiscover(_ reply: DidDiscoverIncludedServices, accumulates: Bool) {
    guard let service = attribute(reply.serviceId, CBService.self) else { return }
    if reply.error == nil {
      service.set(
        includedServices: Self.merged(
          service.includedServices, reply.includedServices.map(self.service), accumulates))
    }
    delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: reply.error?.appError)
  }

  func didDiscover(_ reply: DidDiscoverCharacteristics, accumulates: Bool) {
    guard let service = attribute(reply.serviceId, CBService.self) else { return }
    if reply.error == nil {
      let found = reply.characteristics.map { characteristic($0, of: service) }
      service.set(characteristics: Self.merged(service.characteristics, found, accumulates))
    }
    delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: reply.error?.appError)
  }

  private func characteristic(_ discovered: DiscoveredCharacteristic, of service: CBService) -> CBCharacteristic {
    attribute(discovered.id) {
      CBCharacteristic(
        uuid: CBUUID(discovered.uuid),
        properties: CBCharacteristicProperties(rawValue: UInt(discovered.properties.rawValue)), service: service,
        wireID: discovered.id)
    }
  }

  func didDiscover(_ reply: DidDiscoverDescriptors) {
    guard let characteristic = attribute(reply.characteristicId, CBCharacteristic.self) else { return }
    if reply.error == nil {
      characteristic.set(
        descriptors: reply.descriptors.map { discovered in
          attribute(discovered.id) {
            CBDescriptor(
              uuid: CBUUID(discovered.uuid), characteristic: characteristic, wireID: discovered.id)
          }
        })
    }
    delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: reply.error?.appError)
  }

  /// All that was found, now or before: in the order of the latest list, if that has all.
  private static func merged<Attribute: CBAttribute>(
    _ known: [Attribute]?, _ found: [Attribute], _ accumulates: Bool
  ) -> [Attribute] {
    guard accumulates, let known else { return found }
    let missing = known.filter { old in !found.contains { $0 === old } }
    if missing.isEmpty { return found }
    return known + found.filter { new in !known.contains { $0 === new } }
  }

  func didModify(_ change: DidModifyServices) {
    let invalid = change.serviceIds.compactMap { attribute($0, CBService.self) }
    peripheral.withLock { state in
      for service in invalid { state.forget(service) }
    }
    delegate?.peripheral(self, didModifyServices: invalid)
  }
}

extension CBPeripheral.State {
  fileprivate mutating func forget(_ service: CBService) {
    services?.removeAll { $0 === service }
    forget(service as CBAttribute)
    for characteristic in service.characteristics ?? [] {
      forget(characteristic as CBAttribute)
      for descriptor in characteristic.descriptors ?? [] { forget(descriptor as CBAttribute) }
    }
  }

  private mutating func forget(_ attribute: CBAttribute) {
    if let wireID = attribute.wireID { attributes[wireID] = nil }
  }
}

extension DescriptorValue? {
  /// As CoreBluetooth types a descriptor's value, whatever a provider made of it.
  fileprivate func appValue(of uuid: CBUUID) -> Any? {
    switch uuid.value.short {
    case 0x2901: text
    case 0x2900, 0x2902, 0x2903: number
    default: data
    }
  }

  private var text: String {
    switch self {
    case .text(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .number(let number): String(number)
    case nil: ""
    }
  }

  /// Of 16 bits, little endian.
  private var number: NSNumber? {
    switch self {
    case .number(let number): NSNumber(value: number)
    case .bytes(let bytes): NSNumber(value: bytes.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) })
    case .text, nil: nil
    }
  }

  private var data: Data {
    switch self {
    case .bytes(let bytes): Data(bytes)
    case .text(let text): Data(text.utf8)
    case .number(let number): withUnsafeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian) { Data($0) }
    case nil: Data()
    }
  }
}
