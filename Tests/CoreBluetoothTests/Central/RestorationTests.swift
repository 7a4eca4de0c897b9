import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct RestorationTests {
  private let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: "mine"]

  private func state() -> DidRestoreState {
    let battery = DiscoveredService(id: Wire.battery, uuid: BluetoothUUID(short: 0x180F), isPrimary: true)
    let level = DiscoveredCharacteristic(
      id: Wire.current, uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .notify])
    return DidRestoreState(
      peripheralIds: [.meter, .beacon], scanServices: [BluetoothUUID(short: 0x180F)], allowDuplicates: true,
      isScanning: true,
      peripherals: [
        RestoredPeripheral(
          id: .meter, name: "Meter", isConnected: true,
          services: [
            RestoredService(
              service: battery,
              characteristics: [RestoredCharacteristic(characteristic: level, isNotifying: true)])
          ]), RestoredPeripheral(id: .beacon, name: "", isConnected: false),
      ])
  }

  @Test("STATE-12, REST-1, REST-2: What an earlier run held is told before the state, and works")
  func rest1and2() async throws {
    let provider = ScriptedProvider()
    let state = state()
    await provider.onHello { provider.send(.didRestoreState(state)) }
    let fixture = CentralFixture(provider, options: options)
    let event = try await fixture.recorder.next(.willRestoreState)
    #expect(event.managerState == .unknown)
    #expect(await provider.hello?.restoreIdentifier == "mine")
    let peripherals = try #require(event.dictionary[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
    #expect(peripherals.map(\.state) == [.connected, .connecting])
    #expect(peripherals[0].name == "Meter")
    #expect(
      event.dictionary[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [CBUUID(string: "180F")])
    let scan = event.dictionary[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
    #expect(scan?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOn)
    #expect(fixture.central.isScanning)
    for peripheral in peripherals { peripheral.delegate = fixture.recorder }
    let level = try #require(peripherals[0].services?.first?.characteristics?.first)
    #expect(level.isNotifying)
    await provider.send([Wire.value([50]), .didConnect(DidConnect(id: .beacon))])
    #expect(try await fixture.recorder.next(.didUpdateValue).characteristic === level)
    #expect(try await fixture.recorder.next(.didConnect).peripheral === peripherals[1])
  }

  @Test("REST-1: What was not there has no key, and nothing at all is not told")
  func rest1absent() async throws {
    let provider = ScriptedProvider()
    await provider.onHello { provider.send(.didRestoreState(DidRestoreState(peripheralIds: []))) }
    let fixture = CentralFixture(provider, options: options)
    _ = try await fixture.recorder.next(.didUpdateState)
    let other = ScriptedProvider()
    await other.onHello { other.send(.didRestoreState(DidRestoreState(peripheralIds: [], isScanning: true))) }
    let scanning = CentralFixture(other, options: options)
    let event = try await scanning.recorder.next(.willRestoreState)
    #expect(Set(event.dictionary.keys) == [CBCentralManagerRestoredStateScanOptionsKey])
  }

  @Test("REST-4: Without an identifier nothing is asked for")
  func rest4() async throws {
    let fixture = try await CentralFixture.on()
    #expect(await fixture.provider.hello?.restoreIdentifier == nil)
  }

  @Test("REST-4: A provider that keeps nothing does not hold up the state")
  func rest4others() async throws {
    _ = try await CentralFixture.on(ScriptedProvider(features: nil), options: options)
    _ = try await CentralFixture.on(ScriptedProvider(features: [.state]), options: options)
  }

  @Test("A manager that is given up while the app runs on leaves nothing to restore")
  func givenUp() async throws {
    let provider = ScriptedProvider()
    await provider.onHello { provider.send(.didRestoreState(DidRestoreState(peripheralIds: []))) }
    let fixture = CentralFixture(provider, options: options)
    _ = try await fixture.recorder.next(.didUpdateState)
    let peripheral = try await fixture.connected()
    fixture.central.scanForPeripherals(withServices: nil)
    _ = await provider.next("scan")
    fixture.central = nil
    #expect(await provider.next()?.type == "stopScan")
    #expect(await provider.next() == .cancel(Cancel(id: .meter)))
    withExtendedLifetime(peripheral) {}
  }
}
