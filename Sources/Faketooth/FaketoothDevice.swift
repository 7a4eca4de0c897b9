import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import Radio

/// A simulated peripheral as the virtual radio sees it.
@BridgeQueue
final class FaketoothDevice: VirtualPeripheral {
  nonisolated let id: PeripheralIdentifier
  nonisolated let peripheral: FaketoothPeripheral
  weak var radio: VirtualRadio?
  let services: [VirtualService]
  /// The peripheral's own, and behind them those that are included only.
  private let definitions: [FaketoothService]
  /// Of a value that is read in pieces: the producer is asked once.
  private var longValue: [UInt8] = []
  private var notifiers: [AttributeHandle: QueueTimer] = [:]

  init(_ peripheral: FaketoothPeripheral) {
    self.peripheral = peripheral
    id = PeripheralIdentifier(peripheral.identifier)
    let definitions = Self.all(peripheral.services ?? [])
    self.definitions = definitions
    services = definitions.map { $0.virtual(among: definitions) }
  }

  private static func all(_ services: [FaketoothService]) -> [FaketoothService] {
    var found = services
    var index = 0
    while index < found.count {
      for included in found[index].includedServices ?? [] where !found.contains(where: { $0 === included }) {
        found.append(included)
      }
      index += 1
    }
    return found
  }

  var name: String? { peripheral.name }
  var rssi: Int { -50 }
  var advertisement: AdvertisementData? { peripheral.advertisement }
  var isConnectable: Bool { peripheral.advertisement.isConnectable ?? true }

  // MARK: The link

  func connect(completion: @escaping RadioCompletion<Void>) {
    completion(peripheral.connectionError.map { .failure(BluetoothError($0)) } ?? .success(()))
  }

  func didConnect() { peripheral.simulation[\.state] = .connected }

  func didDisconnect() {
    peripheral.simulation[\.state] = .disconnected
    for timer in notifiers.values { timer.cancel() }
    notifiers = [:]
    for characteristic in definitions.flatMap({ $0.characteristics ?? [] }) {
      characteristic.state[\.isNotifying] = false
    }
  }

  // MARK: Discovery

  func discoverServices(completion: @escaping RadioCompletion<Void>) {
    completion(peripheral.discoverServicesError.map { .failure(BluetoothError($0)) } ?? .success(()))
  }

  func refusal(of step: DiscoveryStep) -> BluetoothError? {
    let error =
      switch step {
      case .includedServices: nil as (any Error)?
      case .characteristics: peripheral.discoverCharacteristicsError
      case .descriptors: peripheral.discoverDescriptorsError
      }
    return error.map { BluetoothError($0) }
  }

  // MARK: Values

  private func characteristic(_ attribute: VirtualAttribute) -> FaketoothCharacteristic? {
    definitions[attribute.place.service].characteristics?[attribute.place.characteristic]
  }

  private func descriptor(_ attribute: VirtualAttribute) -> FaketoothDescriptor? {
    guard let position = attribute.place.descriptor, let all = characteristic(attribute)?.descriptors else {
      return nil
    }
    return all.indices.contains(position) ? all[position] : nil
  }

  func read(_ attribute: VirtualAttribute, offset: Int, completion: @escaping RadioCompletion<[UInt8]>) {
    if offset > 0 { return completion(.success(Array(longValue.dropFirst(offset)))) }
    let descriptor = descriptor(attribute)
    let characteristic = characteristic(attribute)
    if let error = attribute.isDescriptor ? descriptor?.readError : characteristic?.readError {
      return completion(.failure(BluetoothError(error)))
    }
    let isDescriptor = attribute.isDescriptor
    FaketoothSettings.queue.async {
      let bytes = isDescriptor ? Self.bytes(descriptor?.value) : [UInt8](characteristic?.value ?? Data())
      BridgeQueue.async { [weak self] in
        self?.longValue = bytes
        completion(.success(bytes))
      }
    }
  }

  /// As an attribute holds what CoreBluetooth types.
  private nonisolated static func bytes(_ value: Any?) -> [UInt8] {
    switch value {
    case let data as Data: [UInt8](data)
    case let text as String: [UInt8](text.utf8)
    case let number as NSNumber: withUnsafeBytes(of: number.uint16Value.littleEndian) { Array($0) }
    case let number as Int: withUnsafeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian) { Array($0) }
    default: []
    }
  }

  func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>
  ) {
    let descriptor = descriptor(attribute)
    let characteristic = characteristic(attribute)
    if let error = attribute.isDescriptor ? descriptor?.writeError : characteristic?.writeError {
      return completion(.failure(BluetoothError(error)))
    }
    let isDescriptor = attribute.isDescriptor
    FaketoothSettings.queue.async {
      if isDescriptor { descriptor?.write(Data(value)) } else { characteristic?.write(Data(value)) }
      BridgeQueue.async { completion(.success(())) }
    }
  }

  // MARK: Notifications

  func setNotify(
    _ subscription: VirtualSubscription, _ attribute: VirtualAttribute, completion: @escaping RadioCompletion<Void>
  ) {
    let characteristic = characteristic(attribute)
    characteristic?.state[\.isNotifying] = subscription != .none
    notifiers.removeValue(forKey: attribute.handle)?.cancel()
    if subscription != .none, let characteristic, characteristic.valueProducer != nil {
      scheduleNotification(characteristic, attribute.handle)
    }
    completion(.success(()))
  }

  private func scheduleNotification(_ characteristic: FaketoothCharacteristic, _ handle: AttributeHandle) {
    guard let interval = FaketoothSettings.notificationInterval else { return }
    notifiers[handle] = QueueTimer(after: .seconds(interval)) { [weak self] in
      self?.send(characteristic, handle)
      self?.scheduleNotification(characteristic, handle)
    }
  }

  func notify(_ characteristic: FaketoothCharacteristic) {
    for (service, definition) in definitions.enumerated() {
      guard let position = definition.characteristics?.firstIndex(where: { $0 === characteristic }) else { continue }
      let place = VirtualAttribute.Place(service: service, characteristic: position)
      if let attribute = radio?.attribute(at: place, of: id) { send(characteristic, attribute.handle) }
    }
  }

  private func send(_ characteristic: FaketoothCharacteristic, _ handle: AttributeHandle) {
    guard characteristic.isNotifying else { return }
    FaketoothSettings.queue.async { [id] in
      let value = [UInt8](characteristic.value ?? Data())
      BridgeQueue.async { [weak self] in self?.radio?.notify(value, characteristic: handle, of: id) }
    }
  }
}

extension FaketoothService {
  fileprivate func virtual(among all: [FaketoothService]) -> VirtualService {
    VirtualService(
      uuid: uuid.value, isPrimary: isPrimary,
      includedServices: (includedServices ?? []).compactMap { included in all.firstIndex { $0 === included } },
      characteristics: (characteristics ?? []).map(\.virtual))
  }
}

extension FaketoothCharacteristic {
  fileprivate var virtual: VirtualCharacteristic {
    let properties = CharacteristicProperties(rawValue: UInt16(truncatingIfNeeded: self.properties.rawValue))
    return VirtualCharacteristic(
      uuid: uuid.value, properties: properties,
      notifySecurity: properties.isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
        ? .none : .encryption,
      descriptors: (descriptors ?? []).map { VirtualDescriptor(uuid: $0.uuid.value, isWritable: true) })
  }
}
