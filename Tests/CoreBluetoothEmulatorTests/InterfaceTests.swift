import CoreBluetoothEmulator
import EmulationTestSupport
import TestSupport
import Testing

/// The interfaces of the emulator's design, class by class.
@Suite(.choosesService)
struct InterfaceTests {
  let bus = EmulatorBus.shared
  private let service = CBUUID(string: "180D")

  init() {
    bus.reset()
    bus.configure(.instant)
  }

  private func central() async throws -> CentralApp {
    let central = CentralApp()
    try await central.state(.poweredOn)
    return central
  }

  private func peripheral(_ services: [CBMutableService]) async throws -> PeripheralApp {
    let peripheral = PeripheralApp()
    try await peripheral.state(.poweredOn)
    for service in services {
      peripheral.manager.add(service)
      try await peripheral.inbox.first("service") { if case .added(_, let error) = $0 { Answer(error) } else { nil } }
        .check()
    }
    return peripheral
  }

  @Test func aCentralManagerScansConnectsAndRetrieves() async throws {
    let host = PeripheralApp()
    try await host.open(named: "Device")
    let app = try await central()
    app.manager.scanForPeripherals(withServices: [PeripheralApp.serviceUUID])
    #expect(app.manager.isScanning)
    let found = try await app.discovery().peripheral
    app.manager.stopScan()
    #expect(!app.manager.isScanning)
    try await app.connect(found)
    #expect(app.manager.retrievePeripherals(withIdentifiers: [found.identifier]) == [found])
    #expect(app.manager.retrievePeripherals(withIdentifiers: [UUID()]) == [])
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [PeripheralApp.serviceUUID]) == [found])
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [service]) == [])
    #expect(EmulatedCBCentralManager.supports(.extendedScanAndConnect))
    app.manager.cancelPeripheralConnection(found)
    _ = try await app.disconnection()
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [PeripheralApp.serviceUUID]) == [])
    withExtendedLifetime(host) { bus.stop() }
  }

  @Test func aPeripheralShowsAllThatItsManagerHasPublished() async throws {
    let inner = CBMutableService(type: CBUUID(string: "180A"), primary: false)
    let location = EmulatedCBMutableCharacteristic(
      type: CBUUID(string: "2A38"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    location.descriptors = [
      EmulatedCBMutableDescriptor(
        type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Where it sits")
    ]
    let outer = EmulatedCBMutableService(type: service, primary: true)
    outer.characteristics = [location]
    outer.includedServices = [inner]
    let host = try await peripheral([inner, outer])
    try await host.advertise([CBAdvertisementDataLocalNameKey: "Device"])

    let app = try await central()
    let found = try await app.find()
    try await app.connect(found)
    #expect(try await app.services(of: found).map(\.uuid) == [service])
    let seen = try #require(found.services?.first)
    #expect(seen.isPrimary && seen.peripheral === found)
    found.discoverIncludedServices(nil, for: seen)
    try await app.inbox.first("included services") {
      if case .includedServices(_, let error) = $0 { Answer(error) } else { nil }
    }.check()
    #expect(seen.includedServices?.map(\.uuid.uuidString) == ["180A"])
    let characteristic = try #require(try await app.characteristics(of: seen).first)
    #expect(characteristic.properties == [.read, .write] && characteristic.service === seen)
    let descriptor = try #require(try await app.descriptors(of: characteristic).first)
    #expect(try await app.read(descriptor) as? String == "Where it sits")
    found.readRSSI()
    let rssi = try await app.inbox.first("RSSI") { if case .rssi(let rssi) = $0 { rssi } else { nil } }
    #expect(EmulatorConfiguration.instant.rssiRange.contains(rssi))
    #expect(found.canSendWriteWithoutResponse)
    withExtendedLifetime(host) { bus.stop() }
  }

  @Test func aPeripheralManagerRefusesUpdatesAndTakesServicesBack() async throws {
    let host = PeripheralApp()
    try await host.open(named: "Device")
    let extra = EmulatorTestHelper.createService(uuid: service, characteristics: [])
    host.manager.add(extra)
    try await host.inbox.first("service") { if case .added(_, let error) = $0 { Answer(error) } else { nil } }.check()
    let app = try await central()
    let found = try await app.find()
    try await app.connect(found)
    #expect(try await app.services(of: found).map(\.uuid) == [PeripheralApp.serviceUUID, service])
    let characteristic = try #require(try await app.characteristics(of: found.services![0]).first)
    try await app.setNotify(true, characteristic)
    let subscriber = try await host.inbox.first("subscription") {
      if case .subscribed(let central, _) = $0 { central } else { nil }
    }
    host.manager.setDesiredConnectionLatency(.low, for: subscriber)
    #expect(host.characteristic.subscribedCentrals?.map(\.identifier) == [subscriber.identifier])
    host.manager.updateValue(Data([5]), for: host.characteristic, onSubscribedCentrals: [subscriber])
    #expect(try await app.value(of: characteristic) == Data([5]))

    host.manager.remove(extra)
    let gone = try await app.inbox.first("changed services") {
      if case .modified(let services) = $0 { services.map(\.uuid) } else { nil }
    }
    #expect(gone == [service])
    #expect(try await app.services(of: found).map(\.uuid) == [PeripheralApp.serviceUUID])
    host.manager.removeAllServices()
    try await app.inbox.first("changed services") { if case .modified = $0 { () } else { nil } }
    #expect(try await app.services(of: found) == [])
    host.manager.stopAdvertising()
    #expect(!host.manager.isAdvertising)
    bus.stop()
  }

  @Test func theBusDoesWhatPeripheralManagersDo() async throws {
    let inbox = Inbox<CBATTRequest>()
    let host = RefusingHost(inbox)
    bus.register(peripheral: host.manager)
    let characteristic = try await host.ready.first("service") { $0 }
    bus.startAdvertising(peripheral: host.manager, data: [CBAdvertisementDataLocalNameKey: "Bus"])
    let app = try await central()
    bus.register(central: app.manager)
    let found = try await app.find(named: "Bus")
    try await app.connect(found)
    let published = try #require(try await app.services(of: found).first)
    let seen = try #require(try await app.characteristics(of: published).first)
    bus.sendWrite(from: found, value: Data([9]), characteristic: seen)
    let request = try await inbox.first("write") { $0 }
    #expect(request.value == Data([9]))
    bus.sendResponse(from: host.manager, to: request, result: .insufficientResources)
    let error = try await app.inbox.first("end of the write") {
      if case .written(_, let error) = $0 { Answer(error) } else { nil }
    }.error
    #expect((error as? CBATTError)?.code == .insufficientResources)
    try await app.setNotify(true, seen)
    try await host.subscribed.first("subscription") { $0 }
    #expect(bus.sendNotification(from: host.manager, value: Data([3]), characteristic: characteristic, centrals: nil))
    #expect(try await app.value(of: seen) == Data([3]))
    bus.stopAdvertising(peripheral: host.manager)
    #expect(!host.manager.isAdvertising)
    bus.unregister(central: app.manager)
    bus.stop()
  }
}

/// Publishes a service and leaves the answers to the test.
///
/// `@unchecked Sendable` is sound: `manager` is set before it is shared.
private final class RefusingHost: NSObject, EmulatedCBPeripheralManagerDelegate, @unchecked Sendable {
  private(set) var manager: EmulatedCBPeripheralManager!
  let ready = Inbox<EmulatedCBMutableCharacteristic>()
  let subscribed = Inbox<Void>()
  private let inbox: Inbox<CBATTRequest>

  init(_ inbox: Inbox<CBATTRequest>) {
    self.inbox = inbox
    super.init()
    manager = EmulatedCBPeripheralManager(delegate: self, queue: DispatchQueue(label: "host"))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let characteristic = EmulatorTestHelper.createCharacteristic(
      uuid: CBUUID(string: "2A39"), properties: [.write, .notify], permissions: .writeable, value: nil)
    peripheral.add(
      EmulatorTestHelper.createService(uuid: CBUUID(string: "180D"), characteristics: [characteristic]))
    ready.add(characteristic)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { subscribed.add(()) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests { inbox.add(request) }
  }
}
