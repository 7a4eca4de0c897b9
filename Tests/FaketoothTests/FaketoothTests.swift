import EmulationTestSupport
import Faketooth
import TestSupport
import Testing

/// The examples of Faketooth's description, and what it promises beside them.
@Suite(.choosesService)
struct FaketoothTests {
  let fixture = FaketoothFixture()

  @Test func theExampleIsFoundConnectedDiscoveredReadWrittenAndSubscribedTo() async throws {
    let (app, peripheral) = try await fixture.example()
    #expect(peripheral.identifier == fixture.peripheral.identifier)
    #expect(peripheral.name == "Name for Advertisement")
    try await app.connect(peripheral)
    #expect(fixture.peripheral.state == .connected)
    let service = try #require(try await app.services(of: peripheral).first)
    #expect(service.uuid == CBUUID() && service.isPrimary)
    #expect(peripheral.name == "Test", "once connected its own name counts")
    let characteristic = try #require(try await app.characteristics(of: service).first)
    #expect(characteristic.properties == [.read, .notify, .write])
    #expect(try await app.read(characteristic) == Data("Hello".utf8))
    try await app.write(Data("World".utf8), to: characteristic)
    #expect(fixture.written == [Data("World".utf8)])
    try await app.setNotify(true, characteristic)
    #expect(fixture.characteristic.isNotifying)
    #expect(try await app.value(of: characteristic) == Data("Hello".utf8))
    try await app.setNotify(false, characteristic)
    #expect(!fixture.characteristic.isNotifying)
    fixture.end()
  }

  @Test func theConfigurationDescriptorIsTheSystems() async throws {
    let (app, characteristic) = try await fixture.explored()
    let descriptors = try await app.descriptors(of: characteristic)
    #expect(descriptors.map(\.uuid) == [CBUUID(string: "2902"), CBUUID(string: "2901"), CBUUID(string: "FFF0")])
    #expect(try await app.read(descriptors[0]) as? NSNumber == 0)
    #expect(try await app.read(descriptors[1]) as? String == "Greeting")
    try await app.write(Data([7]), to: descriptors[2])
    #expect(fixture.writtenDescriptors == [Data([7])])
    #expect(try await app.read(descriptors[2]) as? Data == Data([7]))
    fixture.end()
  }

  @Test func subscribersGetTheProducersValueWhenTold() async throws {
    FaketoothSettings.notificationInterval = nil
    let (app, characteristic) = try await fixture.explored()
    try await app.setNotify(true, characteristic)
    fixture.peripheral.notifyDidUpdateValue(for: fixture.characteristic)
    #expect(try await app.value(of: characteristic) == Data("Hello".utf8))
    fixture.end()
  }

  @Test func aScanFindsByAdvertisedServices() async throws {
    let heart = CBUUID(string: "180D")
    let monitor = FaketoothPeripheral(
      identifier: UUID(), name: "Monitor", services: [FaketoothService(uuid: heart, isPrimary: true)])
    fixture.begin([fixture.peripheral, monitor])
    let app = CentralApp()
    try await app.state(.poweredOn)
    app.manager.scanForPeripherals(withServices: [heart])
    let found = try await app.discovery()
    #expect(found.peripheral.identifier == monitor.identifier)
    #expect(found.data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [heart])
    #expect(app.manager.isScanning)
    fixture.end()
  }

  @Test func discoveriesFilter() async throws {
    let services = ["180D", "180F"].map { text in
      FaketoothService(
        uuid: CBUUID(string: text), isPrimary: true,
        characteristics: ["2A37", "2A38"].map { FaketoothCharacteristic(uuid: CBUUID(string: $0), properties: .read) })
    }
    let monitor = FaketoothPeripheral(identifier: UUID(), name: "Monitor", services: services)
    fixture.begin([monitor])
    let app = CentralApp()
    try await app.state(.poweredOn)
    let peripheral = try await app.find()
    try await app.connect(peripheral)
    let found = try await app.services(of: peripheral, [CBUUID(string: "180F")])
    #expect(found.map(\.uuid.uuidString) == ["180F"])
    let characteristics = try await app.characteristics(of: found[0], [CBUUID(string: "2A38")])
    #expect(characteristics.map(\.uuid.uuidString) == ["2A38"])
    #expect(try await app.services(of: peripheral).count == 2)
    fixture.end()
  }

  @Test func connectedPeripheralsAreRetrievedByTheirServices() async throws {
    let heart = CBUUID(string: "180D")
    let monitor = FaketoothPeripheral(
      identifier: UUID(), name: "Monitor", services: [FaketoothService(uuid: heart, isPrimary: true)])
    fixture.begin([monitor])
    let app = CentralApp()
    try await app.state(.poweredOn)
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [heart]) == [])
    let peripheral = try await app.find()
    try await app.connect(peripheral)
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [heart]) == [peripheral])
    #expect(app.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]) == [])
    let other = CentralApp()
    try await other.state(.poweredOn)
    let again = other.manager.retrieveConnectedPeripherals(withServices: [heart])
    #expect(again.map(\.identifier) == [monitor.identifier])
    #expect(again.first?.state == .disconnected, "for this manager")
    fixture.end()
  }

  @Test func includedServicesAreFound() async throws {
    let included = FaketoothService(uuid: CBUUID(string: "180A"), isPrimary: false)
    let service = FaketoothService(uuid: CBUUID(string: "180D"), isPrimary: true, includedServices: [included])
    fixture.begin([FaketoothPeripheral(identifier: UUID(), name: "Monitor", services: [service])])
    let app = CentralApp()
    try await app.state(.poweredOn)
    let peripheral = try await app.find()
    try await app.connect(peripheral)
    let found = try await app.services(of: peripheral)
    #expect(found.map(\.uuid.uuidString) == ["180D"], "only primary services")
    peripheral.discoverIncludedServices(nil, for: found[0])
    try await app.inbox.first("included services") { if case .includedServices = $0 { () } else { nil } }
    #expect(found[0].includedServices?.map(\.uuid.uuidString) == ["180A"])
    fixture.end()
  }

  @Test func aListInPlaceOfAnotherTakesWhatIsGoneAway() async throws {
    let (app, peripheral) = try await fixture.example()
    try await app.connect(peripheral)
    let other = FaketoothPeripheral(identifier: UUID(), name: "Other", services: nil)
    CBCentralManager.simulatedPeripherals = [other]
    #expect((try await app.disconnection() as? CBError)?.code == .peripheralDisconnected)
    #expect(try await app.find(named: "Other").identifier == other.identifier)
    #expect(CBCentralManager.simulatedPeripherals?.map(\.identifier) == [other.identifier])
    fixture.end()
  }

  @Test func nilGivesTheServiceBackAlsoToManagersThatAreThere() async throws {
    let (app, peripheral) = try await fixture.example()
    try await app.connect(peripheral)
    CBCentralManager.simulatedPeripherals = nil
    try await app.state(.resetting)
    #expect((try await app.disconnection() as? CBError)?.code == .connectionTimeout)
    // No service is to be had where tests run.
    try await app.state(.poweredOff)
    CBCentralManager.simulatedPeripherals = [fixture.peripheral]
    try await app.state(.poweredOn)
    let again = try await app.find()
    #expect(again.identifier == peripheral.identifier)
    fixture.end()
  }
}
