import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

/// A central manager with a scripted provider and a recording delegate.
final class CentralFixture {
  let provider: ScriptedProvider
  let recorder: any RecordingDelegate
  let queue = DispatchQueue(label: "app")
  var central: CBCentralManager!

  /// However slow the machine, a provider that answers is waited for, and one that does not is not.
  static func timing(_ provider: ScriptedProvider) -> ServiceConnection.Timing {
    var timing = ServiceConnection.Timing()
    timing.greeting = provider.features == nil ? .milliseconds(1) : .seconds(60)
    timing.retries = [.milliseconds(1)]
    return timing
  }

  init(
    _ provider: ScriptedProvider = ScriptedProvider(), recorder: any RecordingDelegate = OlderRecorder(),
    options: [String: Any]? = nil
  ) {
    self.provider = provider
    self.recorder = recorder
    queue.setSpecific(key: Recorder.queueKey, value: true)
    central = CBCentralManager(
      delegate: recorder, queue: queue, options: options, endpoint: provider.endpoint, timing: Self.timing(provider))
  }

  /// One that is powered on.
  static func on(
    _ provider: ScriptedProvider = ScriptedProvider(), recorder: any RecordingDelegate = OlderRecorder(),
    options: [String: Any]? = nil
  ) async throws -> CentralFixture {
    let fixture = CentralFixture(provider, recorder: recorder, options: options)
    let event = try await recorder.next(.didUpdateState)
    try #require(event.managerState == .poweredOn)
    return fixture
  }

  // MARK: Getting to a state

  /// A peripheral as found by a scan that is over.
  func discovered(_ id: PeripheralIdentifier = .meter, name: String = "Meter") async throws -> CBPeripheral {
    central.scanForPeripherals(withServices: nil)
    _ = await provider.next("scan")
    await provider.send(.didDiscover(DidDiscover(id: id, name: name, rssi: -50, advertisement: .meter)))
    let event = try await recorder.next(.didDiscover)
    central.stopScan()
    _ = await provider.next("stopScan")
    return event.peripheral!
  }

  func connected(_ id: PeripheralIdentifier = .meter, options: [String: Any]? = nil) async throws -> CBPeripheral {
    let peripheral = try await discovered(id)
    peripheral.delegate = recorder
    try await connect(peripheral, options: options)
    return peripheral
  }

  func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) async throws {
    central.connect(peripheral, options: options)
    _ = await provider.next("connect")
    await provider.send(.didConnect(DidConnect(id: PeripheralIdentifier(peripheral.identifier.uuidString)!)))
    _ = try await recorder.next(.didConnect)
  }

  /// A connected meter whose services, characteristics and descriptors are known.
  func explored(options: [String: Any]? = nil) async throws -> Meter {
    let peripheral = try await connected(options: options)
    peripheral.discoverServices(nil)
    _ = await provider.next("discoverServices")
    await provider.send(.didDiscoverServices(Wire.services()))
    _ = try await recorder.next(.didDiscoverServices)
    let service = try #require(peripheral.services?.first)
    peripheral.discoverCharacteristics(nil, for: service)
    _ = await provider.next("discoverCharacteristics")
    await provider.send(.didDiscoverCharacteristics(Wire.characteristics()))
    _ = try await recorder.next(.didDiscoverCharacteristics)
    let current = try #require(service.characteristics?.first)
    peripheral.discoverDescriptors(for: current)
    _ = await provider.next("discoverDescriptors")
    await provider.send(.didDiscoverDescriptors(Wire.descriptors()))
    _ = try await recorder.next(.didDiscoverDescriptors)
    return Meter(
      peripheral: peripheral, service: service, current: current, control: service.characteristics![1],
      descriptors: current.descriptors!)
  }

  struct Meter {
    var peripheral: CBPeripheral
    var service: CBService
    var current: CBCharacteristic
    var control: CBCharacteristic
    var descriptors: [CBDescriptor]
  }

  // MARK: Showing that nothing happens

  /// What the app was told until now, apart from what a test has asked for.
  func eventsSoFar() async throws -> [Event.Name] {
    await provider.send(.connectionEvent(ConnectionEvent(id: .fence, isConnected: true)))
    var names: [Event.Name] = []
    while true {
      let event = try await recorder.next()
      if event.name == .connectionEvent, event.peripheral?.identifier.uuidString == PeripheralIdentifier.fence.text {
        return names
      }
      names.append(event.name)
    }
  }

  /// What the manager has asked of the provider until now.
  func requestsSoFar() async -> [String] {
    central.registerForConnectionEvents(options: nil)
    return await provider.messages(before: "registerForConnectionEvents").map(\.type)
  }
}

extension PeripheralIdentifier {
  static let meter = PeripheralIdentifier("2B7E1516-28AE-D2A6-ABF7-158809CF4F3C")!
  static let beacon = PeripheralIdentifier("9A0364B9-E99B-480D-B11F-72D3A2B4C5D6")!
  static let fence = PeripheralIdentifier("FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF")!
}

extension AdvertisementData {
  static let meter = AdvertisementData(
    localName: "Meter", isConnectable: true, serviceUUIDs: [BluetoothUUID(short: 0x180F)])
}

/// The provider's words for the meter's attributes.
enum Wire {
  static let id = PeripheralIdentifier.meter
  static let battery = "\(id):180F:10"
  static let information = "\(id):180A:20"
  static let current = "\(battery):2A19:11"
  static let control = "\(battery):FFF1:15"
  static let format = "\(current):2904:14"

  static func services(_ ids: [String] = [battery, information]) -> DidDiscoverServices {
    DidDiscoverServices(
      id: id,
      services: ids.map { text in
        DiscoveredService(id: text, uuid: BluetoothUUID(text.split(separator: ":")[1])!, isPrimary: true)
      })
  }

  static func characteristics() -> DidDiscoverCharacteristics {
    DidDiscoverCharacteristics(
      id: id, serviceId: battery,
      characteristics: [
        DiscoveredCharacteristic(id: current, uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .notify]),
        DiscoveredCharacteristic(
          id: control, uuid: BluetoothUUID(short: 0xFFF1), properties: [.write, .writeWithoutResponse]),
      ])
  }

  static func descriptors(_ numbers: [UInt32] = [0x2902, 0x2901, 0x2904]) -> DidDiscoverDescriptors {
    DidDiscoverDescriptors(
      id: id, characteristicId: current,
      descriptors: numbers.enumerated().map { index, number in
        let uuid = BluetoothUUID(short: number)
        return DiscoveredDescriptor(id: "\(current):\(uuid):\(12 + index)", uuid: uuid)
      })
  }

  static func value(_ bytes: [UInt8], error: BluetoothError? = nil) -> ServerMessage {
    .didUpdateValue(DidUpdateValue(id: id, characteristicId: current, value: bytes, error: error))
  }

  static func written(_ error: BluetoothError? = nil) -> ServerMessage {
    .didWriteValue(DidWriteValue(id: id, characteristicId: control, error: error))
  }

  static func notifying(_ enabled: Bool, _ error: BluetoothError? = nil) -> ServerMessage {
    .didUpdateNotification(
      DidUpdateNotification(id: id, characteristicId: current, enabled: enabled, error: error))
  }

  static func disconnected(_ error: BluetoothError? = nil) -> ServerMessage {
    .didDisconnect(DidDisconnect(id: id, error: error, timestamp: 700_000_000))
  }
}
