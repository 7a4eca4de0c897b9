import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport

/// A virtual radio, switched on, and all that it has told.
@BridgeQueue
final class VirtualWorld: RadioObserver {
  enum Event: Equatable {
    case connected(PeripheralIdentifier)
    case failed(PeripheralIdentifier, BluetoothError)
    case disconnected(PeripheralIdentifier, BluetoothError?)
    case link(Bool, PeripheralIdentifier)
    case name(String, PeripheralIdentifier)
    case modified([AttributeHandle])
    case notified([UInt8], AttributeHandle)
    case ready(PeripheralIdentifier)
    case writeLength(PeripheralIdentifier)
    /// Put in by a test.
    case mark(String)
  }

  let radio: VirtualRadio
  private(set) var advertisements: [Advertisement] = []
  private(set) var events: [Event] = []
  /// What is answered to a radio that asks whether its notifications are read.
  var takesNotifications = true

  init(_ configuration: MockConfiguration, configure: (inout VirtualRadioOptions) -> Void = { _ in }) {
    var options = VirtualRadioOptions()
    configure(&options)
    radio = VirtualRadio(configuration: configuration, options: options)
    radio.observer = self
    radio.start()
  }

  convenience init(_ devices: MockDevice..., configure: (inout VirtualRadioOptions) -> Void = { _ in }) {
    self.init(MockConfiguration(name: "Test", devices: devices), configure: configure)
  }

  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  func takeAdvertisements() -> [Advertisement] {
    defer { advertisements = [] }
    return advertisements
  }

  func mark(_ text: String) { events.append(.mark(text)) }

  func radio(_ radio: any Radio, canTakeNotificationsOf peripheral: PeripheralIdentifier) -> Bool { takesNotifications }

  // MARK: Asking

  func connect(_ id: PeripheralIdentifier) async {
    radio.connect(id)
    _ = await eventually { events.contains(.connected(id)) }
    events = []
  }

  func discover(_ id: PeripheralIdentifier) async -> Result<GATTDatabase, BluetoothError> {
    await result { radio.discoverServices(of: id, completion: $0) }
  }

  func read(_ handle: AttributeHandle, _ id: PeripheralIdentifier) async -> Result<[UInt8], BluetoothError> {
    await result { radio.read(handle, of: id, completion: $0) }
  }

  func write(_ value: [UInt8], _ handle: AttributeHandle, _ id: PeripheralIdentifier) async -> BluetoothError? {
    await result { (completion: @escaping @BridgeQueue (BluetoothError?) -> Void) in
      radio.write(value, to: handle, of: id) { completion($0.error) }
    }
  }

  func command(_ value: [UInt8], _ handle: AttributeHandle, _ id: PeripheralIdentifier) async -> BluetoothError? {
    await result { (completion: @escaping @BridgeQueue (BluetoothError?) -> Void) in
      radio.writeWithoutResponse(value, to: handle, of: id) { completion($0.error) }
    }
  }

  func setNotify(_ enabled: Bool, _ handle: AttributeHandle, _ id: PeripheralIdentifier) async -> BluetoothError? {
    await result { (completion: @escaping @BridgeQueue (BluetoothError?) -> Void) in
      radio.setNotify(enabled, characteristic: handle, of: id) { completion($0.error) }
    }
  }

  func open(psm: UInt16, _ id: PeripheralIdentifier) async -> Result<any RadioL2CAPChannel, BluetoothError> {
    await withCheckedContinuation { continuation in
      radio.openL2CAPChannel(psm: psm, to: id) { result in
        // The channel stays on the queue.
        nonisolated(unsafe) let result = result
        continuation.resume(returning: result)
      }
    }
  }

  // MARK: Hearing

  func radioDidUpdateState(_ radio: any Radio) {}
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) { advertisements.append(advertisement) }
  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) { events.append(.connected(peripheral)) }
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    events.append(.failed(peripheral, error))
  }
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    events.append(.disconnected(peripheral, error))
  }
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {
    events.append(.link(isConnected, peripheral))
  }
  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {
    events.append(.name(name, peripheral))
  }
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier) {
    events.append(.modified(removed))
  }
  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) { events.append(.notified(value, characteristic)) }
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) {
    events.append(.ready(peripheral))
  }
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {
    events.append(.writeLength(peripheral))
  }
}

extension Result where Failure == BluetoothError {
  var error: BluetoothError? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}

// MARK: Devices

extension PeripheralIdentifier {
  static let bench = PeripheralIdentifier("6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E01")!
  static let other = PeripheralIdentifier("6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E02")!
}

/// Handles of the bench device: one service at 10, characteristics of two attributes and their descriptors behind it.
enum Bench {
  /// Read and notify, with 2902, 2901 and a custom descriptor.
  static let level: AttributeHandle = 11
  static let levelConfiguration: AttributeHandle = 13
  static let levelDescription: AttributeHandle = 14
  static let levelCustom: AttributeHandle = 15
  /// Write with and without response, and read.
  static let control: AttributeHandle = 16
  /// Write without response only.
  static let stream: AttributeHandle = 18
  /// Indicate only, no 2902 in the configuration.
  static let alarm: AttributeHandle = 20
  static let alarmConfiguration: AttributeHandle = 22
  /// Read, write; encrypted.
  static let secret: AttributeHandle = 23
  /// Read; encrypted with authenticated keys.
  static let vault: AttributeHandle = 25
}

extension MockDevice {
  static func bench(pairing: MockPairingMode = .none, configure: (inout MockDevice) -> Void = { _ in }) -> MockDevice {
    func uuid(_ number: UInt32) -> BluetoothUUID { BluetoothUUID(short: number) }
    let custom = BluetoothUUID("8D1E0009-7A3C-4B6F-9E11-5A2B3C4D5E6F")!
    let level = MockCharacteristic(
      uuid: uuid(0x2A19), properties: [.read, .notify],
      descriptors: [
        MockDescriptor(uuid: uuid(0x2902), value: [0, 0]),
        MockDescriptor(uuid: uuid(0x2901), value: Array("Level".utf8)),
        MockDescriptor(uuid: custom, value: [7]),
      ], value: [87])
    var vault = MockCharacteristic(uuid: uuid(0xFF05), properties: .read, value: [42])
    vault.readSecurity = .authentication
    var device = MockDevice(
      id: .bench, name: "Bench",
      services: [
        MockService(
          uuid: uuid(0xFF00),
          characteristics: [
            level,
            MockCharacteristic(
              uuid: uuid(0xFF01), properties: [.read, .write, .writeWithoutResponse], value: [1, 2, 3]),
            MockCharacteristic(uuid: uuid(0xFF02), properties: .writeWithoutResponse),
            MockCharacteristic(uuid: uuid(0xFF03), properties: .indicate),
            MockCharacteristic(
              uuid: uuid(0xFF04), properties: [.read, .write], securityLevel: .encryption, value: [9]),
            vault,
          ])
      ])
    device.pairingMode = pairing
    configure(&device)
    return device
  }
}
