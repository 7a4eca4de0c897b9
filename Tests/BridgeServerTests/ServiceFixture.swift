import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// A service on a scripted radio, and others beside it if a test wants them, with sockets of its own.
@BridgeQueue
final class ServiceFixture {
  let folder = TemporaryFolder()
  let radio: ScriptedRadio
  /// Of a service whose radios are chosen.
  private(set) var factory: ScriptedFactory?
  let server: Server
  let path: String

  init(
    _ policy: ServerConfiguration.Policy = .shared, state: AdapterState = .poweredOn, others: [any Radio] = [],
    configure: (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    path = folder.file("s")
    radio = ScriptedRadio(state: state)
    radio.devices[.meter] = .benchMeter
    var configuration = Self.configuration(path, policy)
    configure(&configuration)
    server = Server(configuration: configuration, radios: [radio] + others)
    try server.start()
  }

  /// A service that is told what to serve; its adapter, if one is wanted, is `radio`.
  init(choice: RadioChoice, state: AdapterState = .poweredOn, adapter: String? = "hci9") throws {
    path = folder.file("s")
    radio = ScriptedRadio(state: state)
    radio.devices[.meter] = .benchMeter
    radio.adapter = adapter
    let factory = ScriptedFactory(hardware: radio)
    self.factory = factory
    server = Server(configuration: Self.configuration(path, .shared), choice: choice, factory: factory)
    try server.start()
  }

  private static func configuration(_ path: String, _ policy: ServerConfiguration.Policy) -> ServerConfiguration {
    var configuration = ServerConfiguration(socketPath: path, policy: policy, serverVersion: "1.2.3")
    // However slow the machine, unless a test wants it otherwise.
    configuration.limits.activityDuration = .seconds(3600)
    configuration.limits.channel.closingTime = .seconds(60)
    return configuration
  }

  func client() throws -> LineClient { try LineClient(path: path) }

  func controlClient() throws -> LineClient { try LineClient(path: path + ".control") }

  /// A client that has connected to the meter.
  func connectedClient(pid: Int = 4711, features: Features? = nil) async throws -> LineClient {
    let client = try client()
    client.hello(pid: pid, features: features)
    if features != nil { _ = try await client.next("welcome") }
    client.send(.connect(Connect(id: .meter)))
    _ = try await client.next("didConnect")
    return client
  }

  /// Ends the service, so that its objects go.
  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }
}

extension PeripheralIdentifier {
  static let meter = PeripheralIdentifier("2B7E1516-28AE-D2A6-ABF7-158809CF4F3C")!
  static let beacon = PeripheralIdentifier("9A0364B9-E99B-480D-B11F-72D3A2B4C5D6")!
  static let stranger = PeripheralIdentifier("6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4EFF")!
}

extension BluetoothUUID {
  static func vendor(_ number: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: 0x8D1E_0000_7A3C_4B6F | number << 32, low: 0x9E11_5A2B_3C4D_5E6F)
  }
  static let battery = BluetoothUUID(short: 0x180F)
}

/// Handles and wire names of the meter's attributes.
enum Meter {
  static let service: AttributeHandle = 20
  static let current: AttributeHandle = 21
  static let control: AttributeHandle = 26
  static let secret: AttributeHandle = 28

  static let serviceID = "\(PeripheralIdentifier.meter):\(BluetoothUUID.vendor(0x20)):20"
  static let currentID = "\(serviceID):\(BluetoothUUID.vendor(0x21)):21"
  static let controlID = "\(serviceID):\(BluetoothUUID.vendor(0x22)):26"
  static let configurationID = "\(currentID):2902:23"
}

extension ScriptedRadio.Device {
  /// The device that the passthrough transcripts assume.
  static var benchMeter: ScriptedRadio.Device {
    let current = GATTCharacteristic(
      handle: Meter.current, uuid: .vendor(0x21), properties: [.read, .notify],
      descriptors: [
        GATTDescriptor(handle: 23, uuid: BluetoothUUID(short: 0x2902)),
        GATTDescriptor(handle: 24, uuid: BluetoothUUID(short: 0x2901)),
        GATTDescriptor(handle: 25, uuid: BluetoothUUID(short: 0x2904)),
      ])
    let control = GATTCharacteristic(
      handle: Meter.control, uuid: .vendor(0x22), properties: [.write, .writeWithoutResponse])
    let secret = GATTCharacteristic(handle: Meter.secret, uuid: .vendor(0x23), properties: .read)
    var device = ScriptedRadio.Device(
      name: "Bench Meter", address: "C0:00:00:00:00:01",
      database: GATTDatabase(services: [
        GATTService(handle: 10, uuid: BluetoothUUID(short: 0x180A), isPrimary: true),
        GATTService(
          handle: Meter.service, uuid: .vendor(0x20), isPrimary: true, includedServices: [40],
          characteristics: [current, control, secret]),
        GATTService(handle: 40, uuid: .vendor(0x30), isPrimary: false),
        GATTService(handle: 50, uuid: .battery, isPrimary: true),
      ]))
    device.values = [
      Meter.current: .success([0x0C, 0x00]), 23: .success([0, 0]), 24: .success(Array("Shunt current".utf8)),
      25: .success([0x06, 0x00, 0x28, 0x27, 0x01, 0, 0]), Meter.secret: .failure(.attribute(0x0F)),
    ]
    device.rssi = .success(-61)
    return device
  }
}

/// Fails the test: something else came than what it waited for.
func unexpected() { Issue.record("another message came, or none") }
