import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import Radio
import TestSupport
import Testing

/// A service of virtual devices, none at first, whose clients can be peripherals.
@BridgeQueue
final class HostingFixture {
  let folder = TemporaryFolder()
  let radio = VirtualRadio()
  let world: VirtualHostedWorld
  let server: Server
  let path: String

  init(
    _ options: VirtualHostedWorld.Options = .init(), configure: (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    path = folder.file("s")
    world = VirtualHostedWorld(options: options)
    var configuration = ServerConfiguration(socketPath: path, serverVersion: "1")
    configure(&configuration)
    server = Server(configuration: configuration, radios: [radio], hostedWorld: world)
    try server.start()
  }

  /// A client whose process, as it says, is its device.
  func client(_ app: String, pid: Int, features: Features = [.state, .errors, .peripheral, .mtu]) async throws
    -> LineClient
  {
    let client = try LineClient(path: path + ".control")
    client.hello(app, pid: pid, features: features)
    _ = try await client.next("welcome")
    return client
  }

  /// A client that hosts a service and advertises it.
  func host(
    _ app: String = "host", pid: Int = 1, services: [HostedService] = [.thermometer], restoreIdentifier: String? = nil
  ) async throws -> LineClient {
    let client = try await client(app, pid: pid)
    client.send(.peripheral(.hostPeripheral(HostPeripheral(restoreIdentifier: restoreIdentifier))))
    _ = try await client.next("hostingState")
    for service in services { client.send(.peripheral(.publishService(PublishService(service: service)))) }
    let data = AdvertisementData(localName: "Thermo", serviceUUIDs: [.thermometer])
    client.send(.peripheral(.startAdvertising(StartAdvertising(advertisement: data))))
    _ = try await client.next("didStartAdvertising")
    return client
  }

  /// A client that has found a hosted peripheral, connected to it and discovered it.
  func central(_ app: String = "central", pid: Int) async throws -> (LineClient, PeripheralIdentifier) {
    let client = try await client(app, pid: pid)
    client.send(.scan(Scan(services: [SpelledUUID(.thermometer)])))
    guard case .didDiscover(let report) = try await client.next("didDiscover") else { throw Unexpected() }
    client.send(.connect(Connect(id: report.id)))
    _ = try await client.next("didConnect")
    return (client, report.id)
  }
}

struct Unexpected: Error {}

extension BluetoothUUID {
  static let thermometer = BluetoothUUID(short: 0x1809)
  static let temperature = BluetoothUUID(short: 0x2A1C)
  static let kind = BluetoothUUID(short: 0x2A1D)
  static let interval = BluetoothUUID(short: 0x2A21)
  static let locked = BluetoothUUID(short: 0xFFF1)
}

extension HostedService {
  static let thermometer = HostedService(
    id: 1, uuid: .thermometer, isPrimary: true,
    characteristics: [
      HostedCharacteristic(
        id: 10, uuid: .temperature, properties: [.read, .notify], permissions: .readable,
        descriptors: [HostedDescriptor(uuid: BluetoothUUID(short: 0x2901), value: Array("Temperature".utf8))]),
      HostedCharacteristic(id: 11, uuid: .kind, properties: .read, permissions: .readable, value: [2]),
      HostedCharacteristic(
        id: 12, uuid: .interval, properties: [.read, .write, .writeWithoutResponse],
        permissions: [.readable, .writeable]
      ),
      // Declares what it does not permit.
      HostedCharacteristic(id: 13, uuid: .locked, properties: [.read, .write], permissions: []),
    ])
}

@BridgeQueue
extension LineClient {
  func request(_ request: PeripheralRequest) { send(.peripheral(request)) }

  func event(_ type: String) async throws -> PeripheralEvent {
    guard case .peripheral(let event) = try await next(type) else { throw Unexpected() }
    return event
  }

  func respond(_ request: Int, _ result: UInt8 = 0, _ value: [UInt8] = []) {
    self.request(.respond(RespondToRequest(request: request, result: result, value: value)))
  }

  /// Wire identifiers of the peripheral's characteristics.
  func characteristics(of id: PeripheralIdentifier) async throws -> [BluetoothUUID: String] {
    send(.discoverServices(DiscoverServices(id: id)))
    guard case .didDiscoverServices(let services) = try await next("didDiscoverServices") else { throw Unexpected() }
    var found: [BluetoothUUID: String] = [:]
    for service in services.services {
      send(.discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: service.id)))
      guard case .didDiscoverCharacteristics(let reply) = try await next("didDiscoverCharacteristics") else {
        throw Unexpected()
      }
      for characteristic in reply.characteristics { found[characteristic.uuid] = characteristic.id }
    }
    return found
  }

  func subscribe(_ id: PeripheralIdentifier, _ characteristic: String, _ enabled: Bool = true) async throws {
    send(.setNotify(SetNotify(id: id, characteristicId: characteristic, enabled: enabled)))
    _ = try await next("didUpdateNotification")
  }

  func value() async throws -> DidUpdateValue {
    guard case .didUpdateValue(let update) = try await next("didUpdateValue") else { throw Unexpected() }
    return update
  }
}
