import BridgeIO
import BridgeProtocol
import BridgeServer
import CoreBluetooth
import MockBackend
import Radio
import TestSupport
import Testing

/// A service of virtual devices, none at first, with a peripheral manager on a device of its own, and centrals on others
/// that speak the wire.
@BridgeQueue
final class HostFixture {
  let folder = TemporaryFolder()
  let radio = VirtualRadio()
  let world: VirtualHostedWorld
  private(set) var server: Server
  let path: String
  let recorder = HostRecorder()
  let queue = DispatchQueue(label: "app")
  private(set) var manager: CBPeripheralManager!
  private var devices = 0

  nonisolated static var timing: ServiceConnection.Timing {
    var timing = ServiceConnection.Timing()
    timing.greeting = .seconds(30)
    timing.retries = [.milliseconds(1)]
    return timing
  }

  /// - Parameter service: whether there is a service from the start.
  init(
    _ options: VirtualHostedWorld.Options = .init(), managerOptions: [String: Any]? = nil,
    state: AdapterState = .poweredOn
  ) throws {
    path = folder.file("s")
    world = VirtualHostedWorld(options: options)
    server = Self.makeServer(path, radio, world)
    try server.start()
    if state != .poweredOn { radio.setState(state) }
    queue.setSpecific(key: HostRecorder.queueKey, value: true)
    manager = makeManager(managerOptions, recorder)
  }

  private static func makeServer(_ path: String, _ radio: VirtualRadio, _ world: VirtualHostedWorld) -> Server {
    Server(
      configuration: ServerConfiguration(socketPath: path, serverVersion: "1"), radios: [radio], hostedWorld: world)
  }

  /// Another run of the service, after the one before was stopped.
  func restartServer() throws {
    server = Self.makeServer(path, VirtualRadio(), VirtualHostedWorld())
    try server.start()
  }

  func makeManager(
    _ options: [String: Any]? = nil, _ recorder: HostRecorder, device: String = "host"
  ) -> CBPeripheralManager {
    CBPeripheralManager(
      delegate: recorder, queue: queue, options: options, endpoint: .socket(at: path).on { device },
      timing: Self.timing)
  }

  /// The manager goes, as if nobody kept it.
  func releaseManager() { manager = nil }

  /// One that is powered on.
  static func on(_ options: VirtualHostedWorld.Options = .init()) async throws -> HostFixture {
    let fixture = try HostFixture(options)
    let event = try await fixture.recorder.next(.didUpdateState)
    try #require(event.state == .poweredOn)
    return fixture
  }

  /// One with these services published and advertised.
  static func publishing(
    _ services: [CBMutableService], _ options: VirtualHostedWorld.Options = .init()
  ) async throws -> HostFixture {
    let fixture = try await on(options)
    for service in services { try await fixture.add(service) }
    try await fixture.advertise()
    return fixture
  }

  func add(_ service: CBMutableService) async throws {
    manager.add(service)
    let event = try await recorder.next(.didAdd)
    try #require(event.error == nil && event.service === service)
  }

  func advertise(_ data: [String: Any]? = [CBAdvertisementDataLocalNameKey: "Host"]) async throws {
    manager.startAdvertising(data)
    let event = try await recorder.next(.didStartAdvertising)
    try #require(event.error == nil)
  }

  /// What the delegate was told until now, apart from what a test has asked for.
  func eventsSoFar() async throws -> [HostEvent.Name] {
    let fence = CBMutableService(type: CBUUID(string: "FFFF"), primary: false)
    manager.add(fence)
    var names: [HostEvent.Name] = []
    while true {
      let event = try await recorder.next()
      if event.service === fence { return names }
      names.append(event.name)
    }
  }

  // MARK: Centrals

  /// A client on a device of its own.
  func client() async throws -> LineClient {
    devices += 1
    let client = try LineClient(path: path + ".control")
    let features: Features = [.state, .errors, .mtu]
    client.send(.hello(Hello(bundleId: "central", device: "central \(devices)", features: features.names)))
    _ = try await client.next("welcome")
    return client
  }

  /// Finds the host.
  func find(_ client: LineClient) async throws -> DidDiscover {
    client.send(.scan(Scan()))
    guard case .didDiscover(let report) = try await client.next("didDiscover") else { throw NothingHappened() }
    return report
  }

  /// A client that is connected with the host and has discovered it.
  func central() async throws -> HostCentral {
    let client = try await client()
    let id = try await find(client).id
    client.send(.connect(Connect(id: id)))
    _ = try await client.next("didConnect")
    let central = HostCentral(client: client, id: id)
    try await central.discover()
    return central
  }
}

/// A connected client, with the host's attributes by UUID.
@BridgeQueue
final class HostCentral {
  let client: LineClient
  let id: PeripheralIdentifier
  private(set) var characteristics: [String: String] = [:]
  private(set) var properties: [String: CharacteristicProperties] = [:]
  private(set) var services: [DiscoveredService] = []

  init(client: LineClient, id: PeripheralIdentifier) {
    self.client = client
    self.id = id
  }

  func discover() async throws {
    characteristics = [:]
    client.send(.discoverServices(DiscoverServices(id: id)))
    guard case .didDiscoverServices(let found) = try await client.next("didDiscoverServices") else {
      throw NothingHappened()
    }
    services = found.services
    for service in services {
      client.send(.discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: service.id)))
      guard case .didDiscoverCharacteristics(let reply) = try await client.next("didDiscoverCharacteristics") else {
        throw NothingHappened()
      }
      for characteristic in reply.characteristics {
        characteristics[characteristic.uuid.text] = characteristic.id
        properties[characteristic.uuid.text] = characteristic.properties
      }
    }
  }

  private func id(of uuid: String) throws -> String { try #require(characteristics[uuid]) }

  func startRead(_ uuid: String) throws {
    client.send(.read(ReadCharacteristic(id: id, characteristicId: try id(of: uuid))))
  }

  func value() async throws -> DidUpdateValue {
    guard case .didUpdateValue(let update) = try await client.next("didUpdateValue") else { throw NothingHappened() }
    return update
  }

  func read(_ uuid: String) async throws -> DidUpdateValue {
    try startRead(uuid)
    return try await value()
  }

  func startWrite(_ value: [UInt8], _ uuid: String, withResponse: Bool = true) throws {
    client.send(
      .write(
        WriteCharacteristic(
          id: id, characteristicId: try id(of: uuid), value: value,
          writeType: withResponse ? .withResponse : .withoutResponse)))
  }

  func written() async throws -> DidWriteValue {
    guard case .didWriteValue(let reply) = try await client.next("didWriteValue") else { throw NothingHappened() }
    return reply
  }

  func write(_ value: [UInt8], _ uuid: String) async throws -> DidWriteValue {
    try startWrite(value, uuid)
    return try await written()
  }

  @discardableResult
  func subscribe(_ uuid: String, _ enabled: Bool = true) async throws -> DidUpdateNotification {
    client.send(.setNotify(SetNotify(id: id, characteristicId: try id(of: uuid), enabled: enabled)))
    guard case .didUpdateNotification(let reply) = try await client.next("didUpdateNotification") else {
      throw NothingHappened()
    }
    return reply
  }

  /// The values of a characteristic's descriptors.
  func descriptors(_ uuid: String) async throws -> [String: DescriptorValue] {
    client.send(.discoverDescriptors(DiscoverDescriptors(id: id, characteristicId: try id(of: uuid))))
    guard case .didDiscoverDescriptors(let found) = try await client.next("didDiscoverDescriptors") else {
      throw NothingHappened()
    }
    var values: [String: DescriptorValue] = [:]
    for descriptor in found.descriptors {
      client.send(.readDescriptor(ReadDescriptor(id: id, descriptorId: descriptor.id)))
      guard case .didUpdateDescriptorValue(let update) = try await client.next("didUpdateDescriptorValue") else {
        throw NothingHappened()
      }
      values[descriptor.uuid.text] = update.value
    }
    return values
  }

  func disconnect() async throws {
    client.send(.cancel(Cancel(id: id)))
    _ = try await client.next("didDisconnect")
  }
}

extension CBMutableService {
  /// With characteristics by UUID.
  static func make(_ uuid: String = "FFF0", _ characteristics: [CBMutableCharacteristic] = []) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
    service.characteristics = characteristics
    return service
  }
}

extension CBMutableCharacteristic {
  static func make(
    _ uuid: String = "FFF1",
    _ properties: CBCharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify],
    value: [UInt8]? = nil, _ permissions: CBAttributePermissions = [.readable, .writeable]
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: uuid), properties: properties, value: value.map { Data($0) }, permissions: permissions)
  }
}

extension HostFixture {
  /// Answers each read with what `value` gives for its number, from 1 on.
  nonisolated func answerReads(_ value: @escaping @Sendable (Int) -> [UInt8]) {
    let count = Lock(0)
    recorder.onEvent { manager, event in
      guard event.name == .didReceiveRead, let request = event.requests.first else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      request.value = Data(value(number))
      manager.respond(to: request, withResult: .success)
    }
  }
}

extension HostFixture {
  /// The service ends.
  func stopServer() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  /// The app's process ends without a word: the manager's socket is closed.
  func crash() async {
    manager.session.connection.close()
    releaseManager()
  }

  /// A service whose clients cannot be peripherals.
  final class Plain {
    let folder = TemporaryFolder()
    let path: String
    private let server: Server

    @BridgeQueue
    init() throws {
      path = folder.file("s")
      server = Server(
        configuration: ServerConfiguration(socketPath: path, serverVersion: "1"), radios: [VirtualRadio()])
      try server.start()
    }
  }
}
