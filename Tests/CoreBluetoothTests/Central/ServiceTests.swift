import BridgeIO
import BridgeProtocol
import BridgeServer
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// Managers and a whole service with virtual devices, over its socket.
@Suite struct ServiceTests {
  @Test("A battery is found, connected, read and subscribed to")
  func battery() async throws {
    let service = try await Service()
    let app = try await service.app()
    let level = try await app.level()
    level.peripheral.readValue(for: level.characteristic)
    #expect(try await app.recorder.next(.didUpdateValue).value == Data([77]))
    level.peripheral.setNotifyValue(true, for: level.characteristic)
    #expect(try await app.recorder.next(.didUpdateNotificationState).isNotifying == true)
    await service.change([78])
    #expect(try await app.recorder.next(.didUpdateValue).value == Data([78]))
    await service.stop()
  }

  @Test("CONN-10, CONN-21: Two managers share one link, which goes with the last")
  func conn10() async throws {
    let service = try await Service()
    let first = try await service.app()
    let second = try await service.app()
    let one = try await first.connected()
    let other = try await second.connected()
    first.central.cancelPeripheralConnection(one)
    #expect(try await first.recorder.next(.didDisconnect).error == nil)
    #expect(other.state == .connected)
    #expect(await service.isLinked)
    second.central.cancelPeripheralConnection(other)
    _ = try await second.recorder.next(.didDisconnect)
    #expect(await service.isUnlinked())
    await service.stop()
  }

  @Test("GATT-26: Two managers subscribe; each gets the values, until it ends its own subscription")
  func gatt26() async throws {
    let service = try await Service()
    let first = try await service.app()
    let second = try await service.app()
    let one = try await first.level()
    let other = try await second.level()
    for (app, level) in [(first, one), (second, other)] {
      level.peripheral.setNotifyValue(true, for: level.characteristic)
      _ = try await app.recorder.next(.didUpdateNotificationState)
    }
    await service.change([1])
    #expect(try await first.recorder.next(.didUpdateValue).value == Data([1]))
    #expect(try await second.recorder.next(.didUpdateValue).value == Data([1]))
    one.peripheral.setNotifyValue(false, for: one.characteristic)
    _ = try await first.recorder.next(.didUpdateNotificationState)
    await service.change([2])
    #expect(try await second.recorder.next(.didUpdateValue).value == Data([2]))
    #expect(first.recorder.pending.isEmpty)
    await service.stop()
  }

  @Test("GATT-30: A subscription that stands is confirmed again")
  func gatt30() async throws {
    let service = try await Service()
    let app = try await service.app()
    let level = try await app.level()
    for _ in 0..<2 {
      level.peripheral.setNotifyValue(true, for: level.characteristic)
      let event = try await app.recorder.next(.didUpdateNotificationState)
      #expect(event.error == nil && event.isNotifying == true)
    }
    await service.stop()
  }

  @Test("RETR-1, RETR-2, RETR-3: What the host knows and is connected to is retrieved, and connected at once")
  func retrieving() async throws {
    let service = try await Service()
    let first = try await service.app()
    let second = try await service.app()
    let held = try await first.connected()
    let stranger = UUID()
    let known = await second.blocking {
      $0.retrievePeripherals(withIdentifiers: [stranger, PeripheralIdentifier.meter.uuidForTests])
    }
    #expect(known.map(\.identifier) == [PeripheralIdentifier.meter.uuidForTests])
    let connected = await second.blocking { $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]) }
    #expect(connected == known)
    let found = try #require(connected.first)
    #expect(found.state == .disconnected)
    second.central.connect(found)
    _ = try await second.recorder.next(.didConnect)
    let others = await second.blocking { $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]) }
    #expect(others == [])
    #expect(held.state == .connected)
    await service.stop()
  }

  @Test("EVT-1: A connection of one manager's is another's event")
  func evt1() async throws {
    let service = try await Service()
    let first = try await service.app()
    let second = try await service.app()
    second.central.registerForConnectionEvents(options: [.peripheralUUIDs: [PeripheralIdentifier.meter.uuidForTests]])
    // Answered behind it.
    _ = await second.blocking { $0.retrievePeripherals(withIdentifiers: [UUID()]) }
    let peripheral = try await first.connected()
    #expect(try await second.recorder.next(.connectionEvent).connectionEvent == .peerConnected)
    first.central.cancelPeripheralConnection(peripheral)
    #expect(try await second.recorder.next(.connectionEvent).connectionEvent == .peerDisconnected)
    await service.stop()
  }

  @Test("STATE-5, STATE-6: Switching the radio off tells the state alone, and on again all works")
  func state5() async throws {
    let service = try await Service()
    let app = try await service.app()
    let peripheral = try await app.connected()
    await service.set(.poweredOff)
    #expect(try await app.recorder.next(.didUpdateState).managerState == .poweredOff)
    #expect(peripheral.state == .disconnected)
    await service.set(.poweredOn)
    #expect(try await app.recorder.next(.didUpdateState).managerState == .poweredOn)
    app.central.connect(peripheral)
    _ = try await app.recorder.next(.didConnect)
    await service.stop()
  }

  @Test("FLOW-1, FLOW-2: As many writes as an app likes arrive, in order, without outrunning the radio")
  func flow() async throws {
    let service = try await Service()
    let app = try await service.app()
    let level = try await app.level()
    let control = try #require(level.service.characteristics?.last)
    for number in 0..<500 {
      while !level.peripheral.canSendWriteWithoutResponse { _ = try await app.recorder.next(.isReadyToWrite) }
      level.peripheral.writeValue(Data([UInt8(number & 0xFF)]), for: control, type: .withoutResponse)
    }
    level.peripheral.readValue(for: control)
    while true {
      let event = try await app.recorder.next()
      if event.name == .isReadyToWrite { continue }
      #expect(event.name == .didUpdateValue && event.value == Data([UInt8(499 & 0xFF)]))
      break
    }
    await service.stop()
  }

  @Test("REST-1, REST-2: An app that dies finds its connections, subscriptions and scan again")
  func restoration() async throws {
    let service = try await Service()
    let doomed = try await Doomed(service.path)
    #expect(try await doomed.holdsEverything())
    await doomed.die()
    let recorder = OlderRecorder()
    let queue = DispatchQueue(label: "app")
    let central = CBCentralManager(
      delegate: recorder, queue: queue, options: [CBCentralManagerOptionRestoreIdentifierKey: "mine"],
      endpoint: .socket(at: service.path))
    let event = try await recorder.next(.willRestoreState)
    let peripherals = event.dictionary[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
    let peripheral = try #require(peripherals?.first)
    peripheral.delegate = recorder
    #expect(peripheral.state == .connected)
    let level = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: "180F") }?.characteristics?.first)
    #expect(level.isNotifying)
    _ = try await recorder.next(.didUpdateState)
    #expect(central.isScanning)
    central.stopScan()
    await service.change([5])
    while true {
      let event = try await recorder.next()
      if event.name == .didDiscover { continue }
      #expect(event.name == .didUpdateValue && event.value == Data([5]))
      break
    }
    await service.stop()
  }
}

/// A service of one virtual battery.
@BridgeQueue
final class Service {
  let folder = TemporaryFolder()
  let radio: VirtualRadio
  let server: Server
  nonisolated let path: String

  init() throws {
    let level = MockCharacteristic(
      uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .write, .notify], value: [77])
    let control = MockCharacteristic(
      uuid: BluetoothUUID(short: 0xFFF1), properties: [.read, .writeWithoutResponse], value: [])
    var device = MockDevice(
      id: .meter, name: "Battery",
      services: [MockService(uuid: BluetoothUUID(short: 0x180F), characteristics: [level, control])])
    device.advertisedServiceUUIDs = [BluetoothUUID(short: 0x180F)]
    path = folder.file("s")
    radio = VirtualRadio(configuration: MockConfiguration(name: "Battery", devices: [device]))
    server = Server(configuration: ServerConfiguration(socketPath: path, serverVersion: "1"), radio: radio)
    try server.start()
  }

  func set(_ state: AdapterState) { radio.setState(state) }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  var isLinked: Bool { radio.isConnected(.meter) }

  func isUnlinked() async -> Bool { await eventually { !radio.isConnected(.meter) } }

  /// The battery's level changes, and it notifies.
  func change(_ value: [UInt8]) {
    guard let battery = radio.configuredPeripheral(.meter),
      let level = battery.attributes.first(where: { $0.uuid == BluetoothUUID(short: 0x2A19) })
    else { return }
    battery.setValue(value, of: level)
    battery.notify(value, level)
  }

  nonisolated func app() async throws -> App {
    let app = App(path)
    try #require(try await app.recorder.next(.didUpdateState).managerState == .poweredOn)
    return app
  }
}

/// An app with one manager.
final class App {
  let recorder = OlderRecorder()
  let central: CBCentralManager

  init(_ path: String) {
    central = CBCentralManager(
      delegate: recorder, queue: DispatchQueue(label: "app"), endpoint: .socket(at: path))
  }

  func connected() async throws -> CBPeripheral {
    central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
    let peripheral = try await recorder.next(.didDiscover).peripheral!
    central.stopScan()
    peripheral.delegate = recorder
    central.connect(peripheral)
    _ = try await recorder.next(.didConnect)
    return peripheral
  }

  struct Level {
    var peripheral: CBPeripheral
    var service: CBService
    var characteristic: CBCharacteristic
  }

  func level() async throws -> Level {
    let peripheral = try await connected()
    peripheral.discoverServices([CBUUID(string: "180F")])
    _ = try await recorder.next(.didDiscoverServices)
    let service = try #require(peripheral.services?.first)
    peripheral.discoverCharacteristics(nil, for: service)
    _ = try await recorder.next(.didDiscoverCharacteristics)
    return Level(
      peripheral: peripheral, service: service, characteristic: try #require(service.characteristics?.first))
  }

  func blocking(_ call: @escaping @Sendable (CBCentralManager) -> [CBPeripheral]) async -> [CBPeripheral] {
    let central = Held(central)
    return await withCheckedContinuation { (continuation: CheckedContinuation<Held<[CBPeripheral]>, Never>) in
      DispatchQueue(label: "blocking").async { continuation.resume(returning: Held(call(central.object))) }
    }.object
  }
}

/// A run of an app, as the service sees it, that will end without a word.
@BridgeQueue
final class Doomed {
  private let client: LineClient

  init(_ path: String) throws { client = try LineClient(path: path) }

  /// Connects, subscribes and scans.
  func holdsEverything() async throws -> Bool {
    client.send(
      .hello(
        Hello(
          bundleId: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName, features: ["restore"],
          restoreIdentifier: "mine")))
    client.send(.connect(Connect(id: .meter)))
    _ = try await client.next("didConnect")
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    guard case .didDiscoverServices(let found)? = try await client.next("didDiscoverServices"),
      let service = found.services.first?.id
    else { return false }
    client.send(.discoverCharacteristics(DiscoverCharacteristics(id: .meter, serviceId: service)))
    guard case .didDiscoverCharacteristics(let reply)? = try await client.next("didDiscoverCharacteristics"),
      let characteristic = reply.characteristics.first?.id
    else { return false }
    client.send(.setNotify(SetNotify(id: .meter, characteristicId: characteristic, enabled: true)))
    client.send(.scan(Scan()))
    return try await client.next("didUpdateNotification") != nil
  }

  func die() { client.close() }
}

extension PeripheralIdentifier {
  var uuidForTests: UUID { UUID(uuidString: text)! }
}
