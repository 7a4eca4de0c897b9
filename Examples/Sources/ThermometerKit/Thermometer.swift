@preconcurrency import CoreBluetooth

// As many apps declare them.
// swift-format-ignore: AvoidRetroactiveConformances
extension CBUUID: @retroactive @unchecked Sendable {}
// swift-format-ignore: AvoidRetroactiveConformances
extension CBPeripheral: @retroactive @unchecked Sendable {}
// swift-format-ignore: AvoidRetroactiveConformances
extension CBPeripheral: @retroactive Identifiable { public var id: UUID { identifier } }

/// Measures with the first health thermometer that is found.
///
/// `@unchecked Sendable` is sound: everything happens on the queue.
public final class Thermometer: NSObject, @unchecked Sendable {
  public enum Event: Sendable {
    case unavailable(CBManagerState)
    case connected(CBPeripheral)
    case measured(Temperature)
    case intervalChanged
    case failed(any Error)
    case disconnected((any Error)?)
  }

  public static let service = CBUUID(string: "1809")
  public static let measurement = CBUUID(string: "2A1C")
  public static let interval = CBUUID(string: "2A21")

  public let events: AsyncStream<Event>
  private let event: AsyncStream<Event>.Continuation
  private let queue = DispatchQueue(label: "thermometer")
  private var central: CBCentralManager!
  private var peripheral: CBPeripheral?

  public override init() {
    (events, event) = AsyncStream.makeStream()
    super.init()
    central = CBCentralManager(delegate: self, queue: queue)
  }

  /// Tries again, after a failure.
  public func connect() {
    queue.async { [self] in
      if let peripheral { central.connect(peripheral) } else { search() }
    }
  }

  public func disconnect() {
    queue.async { [self] in
      if let peripheral { central.cancelPeripheralConnection(peripheral) }
    }
  }

  /// Seconds between two measurements; told as `intervalChanged` or `failed`.
  public func setInterval(_ seconds: UInt16) {
    queue.async { [self] in
      guard let characteristic = characteristic(Self.interval) else { return }
      peripheral?.writeValue(
        withUnsafeBytes(of: seconds.littleEndian) { Data($0) }, for: characteristic, type: .withResponse)
    }
  }

  private func search() { central.scanForPeripherals(withServices: [Self.service]) }

  private func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
    peripheral?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
  }

  private func report(_ error: (any Error)?) { if let error { event.yield(.failed(error)) } }
}

extension Thermometer: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { search() } else { event.yield(.unavailable(central.state)) }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([Self.service])
  }

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { report(error) }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { event.yield(.disconnected(error)) }
}

extension Thermometer: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    report(error)
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([Self.measurement, Self.interval], for: service)
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    report(error)
    if let characteristic = characteristic(Self.measurement) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    report(error)
    if characteristic.isNotifying { event.yield(.connected(peripheral)) }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    report(error)
    guard error == nil, let temperature = characteristic.value.flatMap(Temperature.init) else { return }
    event.yield(.measured(temperature))
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { if error == nil { event.yield(.intervalChanged) } else { report(error) } }
}
