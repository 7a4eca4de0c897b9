import BridgeProtocol
import BridgeServer
import CoreBluetooth
import EmulationTestSupport
import Testing

/// A peripheral that one client of the service hosts and another one uses.
@Suite struct TogetherTests {
  @Test func aHostedPeripheralIsFoundConnectedAndUsedByAnotherClient() async throws {
    let service = try await TogetherService()
    let (central, peripheral) = try await service.pair()
    central.manager.scanForPeripherals(withServices: [PeripheralApp.serviceUUID])
    #expect(try await central.discovery().data[CBAdvertisementDataLocalNameKey] as? String == "Sensor")
    let (found, characteristics) = try await service.explored(central)
    let characteristic = characteristics[0]
    #expect(try await central.read(characteristic) == Data("Hello".utf8))
    peripheral.value = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try await central.read(characteristic) == peripheral.value)
    try await central.write(Data("World".utf8), to: characteristic)
    #expect(peripheral.value == Data("World".utf8))
    found.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    #expect(try await central.read(characteristic) == Data([1]))
    try await central.setNotify(true, characteristic)
    try await peripheral.inbox.first("subscription") { if case .subscribed = $0 { () } else { nil } }
    #expect(peripheral.manager.updateValue(Data([2]), for: peripheral.characteristic, onSubscribedCentrals: nil))
    #expect(try await central.value(of: characteristic) == Data([2]))
    central.manager.cancelPeripheralConnection(found)
    #expect(try await central.disconnection() == nil)
    try await peripheral.inbox.first("end of the subscription") { if case .unsubscribed = $0 { () } else { nil } }
    await service.stop()
  }

  @Test func whatAClientHostsIsNotOnItsOwnAir() async throws {
    let service = try await TogetherService()
    let peripheral = service.peripheral(on: nil)
    try await peripheral.open(named: "Sensor")
    let own = service.central(on: nil)
    try await own.state(.poweredOn)
    own.manager.scanForPeripherals(withServices: nil)
    let other = service.peripheral()
    try await other.open(named: "Other")
    #expect(try await own.discovery().data[CBAdvertisementDataLocalNameKey] as? String == "Other")
    await service.stop()
  }

  @Test func aHostThatGoesIsALostLinkForItsCentrals() async throws {
    let service = try await TogetherService()
    let (central, peripheral) = try await service.pair()
    let (found, _) = try await service.explored(central)
    peripheral.manager.loseService()
    #expect((try await central.disconnection() as? CBError)?.code == .peripheralDisconnected)
    #expect(found.state == .disconnected)
    await service.stop()
  }

  @Test("PERI-16: A short UUID in its long form is advertised in it, and found by either")
  func peri16() async throws {
    let service = try await TogetherService()
    let peripheral = service.peripheral()
    try await peripheral.state(.poweredOn)
    let long = "0000180F-0000-1000-8000-00805F9B34FB"
    try await peripheral.advertise([
      CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: long), CBUUID(string: "180A")]
    ])
    let central = service.central()
    try await central.state(.poweredOn)
    for uuid in [long, "180F", "180A"] {
      central.manager.scanForPeripherals(withServices: [CBUUID(string: uuid)])
      let uuids = try await central.discovery().data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
      #expect(uuids?.map(\.uuidString) == [long, "180A"])
      central.manager.stopScan()
    }
    await service.stop()
  }

  @Test("RETR-4: A connected device is found by its services though nobody has discovered them")
  func retr4() async throws {
    let service = try await TogetherService()
    let (central, peripheral) = try await service.pair()
    let found = try await central.find(named: "Sensor")
    try await central.connect(found)
    let connected = await central.blocking {
      $0.retrieveConnectedPeripherals(withServices: [PeripheralApp.serviceUUID])
    }
    #expect(connected == [found])
    await service.stop()
    withExtendedLifetime(peripheral) {}
  }

  @Test("REST-5: Two living managers with one restore identifier both work, and nothing is restored")
  func rest5() async throws {
    let service = try await TogetherService()
    let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: "same"]
    let peripheral = service.peripheral()
    try await peripheral.open(named: "Sensor")
    let first = service.central(options: options)
    try await first.state(.poweredOn)
    let held = try await first.find(named: "Sensor")
    try await first.connect(held)
    let second = service.central(options: options)
    let event = try await second.inbox.first("event") { $0 }
    guard case .state(.poweredOn) = event else { throw NothingHappened() }
    #expect(try await second.find(named: "Sensor").state == .disconnected)
    #expect(held.state == .connected)
    await service.stop()
  }

  // MARK: Policy takeover

  @Test func underTakeoverAProcessesManagersLiveSideBySide() async throws {
    let service = try await TogetherService(policy: .takeover)
    let (central, peripheral) = try await service.pair()
    let other = service.central(on: "tablet")
    try await other.state(.poweredOn)
    let (_, characteristics) = try await service.explored(central)
    let (_, others) = try await service.explored(other)
    peripheral.value = Data([7])
    #expect(try await central.read(characteristics[0]) == Data([7]))
    #expect(try await other.read(others[0]) == Data([7]))
    await service.stop()
  }
}

extension CentralApp {
  /// Runs a call that blocks on a thread that may.
  func blocking(_ call: @escaping @Sendable (CBCentralManager) -> [CBPeripheral]) async -> [CBPeripheral] {
    let app = self
    return await withCheckedContinuation { (continuation: CheckedContinuation<Held<[CBPeripheral]>, Never>) in
      DispatchQueue(label: "blocking").async { continuation.resume(returning: Held(call(app.manager))) }
    }.object
  }
}
