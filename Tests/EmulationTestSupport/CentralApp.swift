public import CoreBluetooth

/// The central side of an app: a manager's and its peripherals' delegate that keeps what it is told.
///
/// `@unchecked Sendable` is sound: its parts are safe from any thread, and `manager` is set before it is shared.
public final class CentralApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  public enum Event {
    case state(CBManagerState)
    case willRestore([String: Any])
    case discovered(CBPeripheral, [String: Any], Int)
    case connected(CBPeripheral)
    case failedToConnect(CBPeripheral, (any Error)?)
    case disconnected(CBPeripheral, (any Error)?)
    case connectionEvent(CBConnectionEvent, CBPeripheral)
    case ancs(CBPeripheral)
    case services(CBPeripheral, (any Error)?)
    case includedServices(CBService, (any Error)?)
    case characteristics(CBService, (any Error)?)
    case descriptors(CBCharacteristic, (any Error)?)
    case value(CBCharacteristic, Data?, (any Error)?)
    case descriptorValue(CBDescriptor, (any Error)?)
    case written(CBCharacteristic, (any Error)?)
    case descriptorWritten(CBDescriptor, (any Error)?)
    case notification(CBCharacteristic, Bool, (any Error)?)
    case rssi(Int)
    case ready(CBPeripheral)
    case channel(CBL2CAPChannel?, (any Error)?)
    case modified([CBService])
  }

  public let inbox = Inbox<Event>()
  public private(set) var manager: CBCentralManager!
  /// Kept, as an app has to: a peripheral that nobody keeps loses its connection.
  private let lock = NSLock()
  private var kept: [CBPeripheral] = []

  public init(
    queue: DispatchQueue? = DispatchQueue(label: "central"), options: [String: Any]? = nil,
    make: (CentralApp, DispatchQueue?, [String: Any]?) -> CBCentralManager = {
      CBCentralManager(delegate: $0, queue: $1, options: $2)
    }
  ) {
    super.init()
    manager = make(self, queue, options)
  }

  public func keep(_ peripheral: CBPeripheral) { lock.withLock { kept.append(peripheral) } }

  // MARK: Waiting

  public func state(_ wanted: CBManagerState) async throws {
    try await inbox.first("state \(wanted.rawValue)") {
      if case .state(wanted) = $0 { () } else { nil }
    }
  }

  public func discovery(
    of identifier: UUID? = nil, named name: String? = nil
  ) async throws -> (peripheral: CBPeripheral, data: [String: Any], rssi: Int) {
    try await inbox.first("discovery") {
      guard case .discovered(let peripheral, let data, let rssi) = $0 else { return nil }
      if let identifier, peripheral.identifier != identifier { return nil }
      if let name, data[CBAdvertisementDataLocalNameKey] as? String != name { return nil }
      return (peripheral, data, rssi)
    }
  }

  /// Scans until it finds one.
  public func find(_ identifier: UUID? = nil, named name: String? = nil) async throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: nil)
    let found = try await discovery(of: identifier, named: name).peripheral
    manager.stopScan()
    keep(found)
    found.delegate = self
    return found
  }

  public func connection() async throws {
    try await inbox.first("connection") { if case .connected = $0 { () } else { nil } }
  }

  public func connect(_ peripheral: CBPeripheral) async throws {
    manager.connect(peripheral)
    try await connection()
  }

  public func connectionFailure() async throws -> (any Error)? {
    try await inbox.first("connection failure") {
      if case .failedToConnect(_, let error) = $0 { Answer(error) } else { nil }
    }.error
  }

  public func disconnection() async throws -> (any Error)? {
    try await inbox.first("disconnection") {
      if case .disconnected(_, let error) = $0 { Answer(error) } else { nil }
    }.error
  }

  /// Discovers services, and fails with what the delegate is told.
  public func services(of peripheral: CBPeripheral, _ uuids: [CBUUID]? = nil) async throws -> [CBService] {
    peripheral.discoverServices(uuids)
    try await inbox.first("services") {
      if case .services(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
    return peripheral.services ?? []
  }

  public func characteristics(of service: CBService, _ uuids: [CBUUID]? = nil) async throws -> [CBCharacteristic] {
    service.peripheral?.discoverCharacteristics(uuids, for: service)
    try await inbox.first("characteristics") {
      if case .characteristics(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
    return service.characteristics ?? []
  }

  public func descriptors(of characteristic: CBCharacteristic) async throws -> [CBDescriptor] {
    characteristic.service?.peripheral?.discoverDescriptors(for: characteristic)
    try await inbox.first("descriptors") {
      if case .descriptors(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
    return characteristic.descriptors ?? []
  }

  /// The next value that the characteristic shows, read or notified.
  public func value(of characteristic: CBCharacteristic) async throws -> Data? {
    let (answer, data) = try await inbox.first("value") { (event) -> (Answer, Data?)? in
      guard case .value(characteristic, let data, let error) = event else { return nil }
      return (Answer(error), data)
    }
    try answer.check()
    return data
  }

  public func read(_ characteristic: CBCharacteristic) async throws -> Data? {
    characteristic.service?.peripheral?.readValue(for: characteristic)
    return try await value(of: characteristic)
  }

  public func read(_ descriptor: CBDescriptor) async throws -> Any? {
    descriptor.characteristic?.service?.peripheral?.readValue(for: descriptor)
    try await inbox.first("descriptor's value") {
      if case .descriptorValue(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
    return descriptor.value
  }

  public func write(_ data: Data, to characteristic: CBCharacteristic) async throws {
    characteristic.service?.peripheral?.writeValue(data, for: characteristic, type: .withResponse)
    try await inbox.first("end of a write") {
      if case .written(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
  }

  public func write(_ data: Data, to descriptor: CBDescriptor) async throws {
    descriptor.characteristic?.service?.peripheral?.writeValue(data, for: descriptor)
    try await inbox.first("end of a descriptor's write") {
      if case .descriptorWritten(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
  }

  public func setNotify(_ enabled: Bool, _ characteristic: CBCharacteristic) async throws {
    characteristic.service?.peripheral?.setNotifyValue(enabled, for: characteristic)
    try await inbox.first("notification state") {
      if case .notification(characteristic, enabled, let error) = $0 { Answer(error) } else { nil }
    }.check()
  }

  // MARK: CBCentralManagerDelegate

  public func centralManagerDidUpdateState(_ central: CBCentralManager) { inbox.add(.state(central.state)) }

  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    inbox.add(.willRestore(dict))
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) { inbox.add(.discovered(peripheral, advertisementData, rssi.intValue)) }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    inbox.add(.connected(peripheral))
  }

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { inbox.add(.failedToConnect(peripheral, error)) }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { inbox.add(.disconnected(peripheral, error)) }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { inbox.add(.connectionEvent(event, peripheral)) }

  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    inbox.add(.ancs(peripheral))
  }

  // MARK: CBPeripheralDelegate

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    inbox.add(.services(peripheral, error))
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { inbox.add(.includedServices(service, error)) }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { inbox.add(.characteristics(service, error)) }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { inbox.add(.descriptors(characteristic, error)) }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { inbox.add(.value(characteristic, characteristic.value, error)) }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    inbox.add(.descriptorValue(descriptor, error))
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { inbox.add(.written(characteristic, error)) }

  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    inbox.add(.descriptorWritten(descriptor, error))
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { inbox.add(.notification(characteristic, characteristic.isNotifying, error)) }

  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
    inbox.add(.rssi(rssi.intValue))
  }

  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { inbox.add(.ready(peripheral)) }

  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    inbox.add(.channel(channel, error))
  }

  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    inbox.add(.modified(invalidatedServices))
  }
}

/// A delegate's error, if any.
public struct Answer: @unchecked Sendable {
  public var error: (any Error)?
  public init(_ error: (any Error)?) { self.error = error }
  public func check() throws { if let error { throw error } }
}

/// What `body` throws; nil if nothing.
public func failure<Result>(of body: () async throws -> Result) async -> (any Error)? {
  do { _ = try await body() } catch { return error }
  return nil
}
