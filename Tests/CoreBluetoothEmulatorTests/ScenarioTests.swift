import CoreBluetoothEmulator
import EmulationTestSupport
import TestSupport
import Testing

/// The scenarios of the emulator's design.
@Suite(.choosesService)
struct ScenarioTests {
  let bus = EmulatorBus.shared

  init() {
    bus.reset()
    bus.configure(.instant)
  }

  /// A peripheral on the air, and a central that is on.
  private func pair(_ name: String = "Device") async throws -> (CentralApp, PeripheralApp) {
    let peripheral = PeripheralApp()
    try await peripheral.open(named: name)
    let central = CentralApp()
    try await central.state(.poweredOn)
    return (central, peripheral)
  }

  private func explored(
    _ central: CentralApp, named name: String = "Device"
  ) async throws -> (CBPeripheral, [CBCharacteristic]) {
    let found = try await central.find(named: name)
    try await central.connect(found)
    let service = try #require(try await central.services(of: found).first)
    return (found, try await central.characteristics(of: service))
  }

  @Test func basicCentralPeripheralCommunication() async throws {
    let (central, peripheral) = try await pair()
    let (found, characteristics) = try await explored(central)
    #expect(found.name == "Device" && found.state == .connected)
    #expect(characteristics.map(\.uuid) == [CBUUID(string: "5678"), CBUUID(string: "9ABC")])
    #expect(try await central.read(characteristics[0]) == Data("Hello".utf8))
    try await central.write(Data("World".utf8), to: characteristics[0])
    #expect(peripheral.value == Data("World".utf8))
    try await central.setNotify(true, characteristics[0])
    try await peripheral.inbox.first("subscription") { if case .subscribed = $0 { () } else { nil } }
    #expect(peripheral.manager.updateValue(Data([1, 2]), for: peripheral.characteristic, onSubscribedCentrals: nil))
    #expect(try await central.value(of: characteristics[0]) == Data([1, 2]))
    central.manager.cancelPeripheralConnection(found)
    #expect(try await central.disconnection() == nil)
    try await peripheral.inbox.first("end of the subscription") { if case .unsubscribed = $0 { () } else { nil } }
    bus.stop()
  }

  @Test func multipleCentralsOfOnePeripheral() async throws {
    let (first, peripheral) = try await pair()
    let second = CentralApp()
    try await second.state(.poweredOn)
    let one = try await explored(first).1[0]
    let other = try await explored(second).1[0]
    try await first.setNotify(true, one)
    try await second.setNotify(true, other)
    for _ in 0..<2 { try await peripheral.inbox.first("subscription") { if case .subscribed = $0 { () } else { nil } } }
    #expect(Set((peripheral.characteristic.subscribedCentrals ?? []).map(\.identifier)).count == 2)
    peripheral.manager.updateValue(Data([7]), for: peripheral.characteristic, onSubscribedCentrals: nil)
    #expect(try await first.value(of: one) == Data([7]))
    #expect(try await second.value(of: other) == Data([7]))
    bus.stop()
  }

  @Test func oneCentralOfSeveralPeripherals() async throws {
    let (central, first) = try await pair("One")
    let other = PeripheralApp()
    try await other.open(named: "Other")
    let one = try await explored(central, named: "One")
    let two = try await explored(central, named: "Other")
    #expect(one.0.identifier != two.0.identifier)
    #expect(one.0.state == .connected && two.0.state == .connected)
    other.value = Data([9])
    #expect(try await central.read(two.1[0]) == Data([9]))
    #expect(try await central.read(one.1[0]) == Data("Hello".utf8))
    withExtendedLifetime(first) { bus.stop() }
  }

  @Test func connectionFailureRecovery() async throws {
    let (central, peripheral) = try await pair()
    let found = try await central.find()
    var config = EmulatorConfiguration.instant
    config.simulateConnectionFailure = true
    config.connectionFailureRate = 1.0
    bus.configure(config)
    central.manager.connect(found)
    #expect((try await central.connectionFailure() as? CBError)?.code == .connectionFailed)
    #expect(found.state == .disconnected)
    config.connectionFailureRate = 0.0
    bus.configure(config)
    try await central.connect(found)
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func someConnectsFailByTheRate() async throws {
    let (central, peripheral) = try await pair()
    let found = try await central.find()
    var config = EmulatorConfiguration.instant
    config.simulateConnectionFailure = true
    config.connectionFailureRate = 0.3
    bus.configure(config)
    var failures = 0
    for _ in 0..<60 {
      central.manager.connect(found)
      let hasFailed = try await central.inbox.first("end of connecting") { (event) -> Bool? in
        switch event {
        case .connected: false
        case .failedToConnect: true
        default: nil
        }
      }
      if hasFailed {
        failures += 1
      } else {
        central.manager.cancelPeripheralConnection(found)
        _ = try await central.disconnection()
      }
    }
    #expect((5...35).contains(failures))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func someReadsAndWritesFailByTheRate() async throws {
    let (central, peripheral) = try await pair()
    let characteristic = try await explored(central).1[0]
    var config = EmulatorConfiguration.instant
    config.simulateReadWriteErrors = true
    config.readWriteErrorRate = 0.1
    bus.configure(config)
    var failures = 0
    for _ in 0..<100 {
      if let error = await failure(of: { try await central.read(characteristic) }) {
        #expect(error is CBATTError)
        failures += 1
      }
    }
    #expect((1...30).contains(failures))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func anErrorIsInjectedIntoOneCharacteristic() async throws {
    let (central, peripheral) = try await pair()
    let (found, characteristics) = try await explored(central)
    bus.setError(.insufficientAuthentication, for: characteristics[0].uuid, in: found.identifier)
    let error = await failure(of: { try await central.read(characteristics[0]) })
    #expect((error as? CBATTError)?.code == .insufficientAuthentication)
    #expect(try await central.read(characteristics[1]) == Data("Hello".utf8))
    bus.setError(nil, for: characteristics[0].uuid, in: found.identifier)
    #expect(try await central.read(characteristics[0]) == Data("Hello".utf8))
    withExtendedLifetime(peripheral) { bus.stop() }
  }

  @Test func delegatesAreCalledOnTheirQueues() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "com.example.central")
    queue.setSpecific(key: key, value: "central")
    let probe = QueueProbe(key)
    let central = EmulatedCBCentralManager(delegate: probe, queue: queue)
    #expect(try await probe.inbox.first("queue") { $0 } == "central")
    let peripheralQueue = DispatchQueue(label: "com.example.peripheral")
    peripheralQueue.setSpecific(key: key, value: "peripheral")
    let peripheral = EmulatedCBPeripheralManager(delegate: probe, queue: peripheralQueue)
    #expect(try await probe.inbox.first("queue") { $0 } == "peripheral")
    withExtendedLifetime((central, peripheral)) { bus.stop() }
  }

  @Test func theTestHelpersMakeAPairAndWait() async throws {
    let (central, peripheral) = EmulatorTestHelper.createCentralPeripheralPair()
    let app = CentralApp { app, _, _ in
      central.delegate = app
      return central
    }
    let host = HelperHost(peripheral)
    try await host.inbox.first("advertising") { _ in () }
    if central.state != .poweredOn { try await app.state(.poweredOn) }
    let found = try await app.find(named: "Helper")
    central.connect(found)
    try await EmulatorTestHelper.waitForConnection(central: central, peripheral: found, timeout: 10)
    found.discoverServices(nil)
    let services = try await EmulatorTestHelper.waitForServiceDiscovery(peripheral: found, timeout: 10)
    #expect(services.map(\.uuid) == [CBUUID(string: "180D")])
    central.cancelPeripheralConnection(found)
    _ = try await app.disconnection()
    await #expect(throws: EmulatorTestHelper.TimedOut.self) {
      try await EmulatorTestHelper.waitForConnection(central: central, peripheral: found, timeout: 0.01)
    }
    withExtendedLifetime((app, host)) { bus.stop() }
  }
}

/// Tells on which queue it is called.
private final class QueueProbe: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
  let inbox = Inbox<String>()
  private let key: DispatchSpecificKey<String>

  init(_ key: DispatchSpecificKey<String>) { self.key = key }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    inbox.add(DispatchQueue.getSpecific(key: key) ?? "another")
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    inbox.add(DispatchQueue.getSpecific(key: key) ?? "another")
  }
}

/// A peripheral made with the helper.
private final class HelperHost: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let inbox = Inbox<Void>()

  init(_ manager: EmulatedCBPeripheralManager) {
    super.init()
    manager.delegate = self
    if manager.state == .poweredOn { peripheralManagerDidUpdateState(manager) }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    peripheral.add(
      EmulatorTestHelper.createService(
        uuid: CBUUID(string: "180D"),
        characteristics: [
          EmulatorTestHelper.createCharacteristic(
            uuid: CBUUID(string: "2A37"), properties: .read, permissions: .readable, value: Data([1]))
        ]))
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Helper"])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) { inbox.add(()) }
}
