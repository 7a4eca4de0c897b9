import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct StateTests {
  @Test("STATE-1: The state is unknown at first and told once later, also when it is not on")
  func state1() async throws {
    let provider = ScriptedProvider()
    await provider.set(.poweredOff)
    let fixture = CentralFixture(provider)
    #expect(fixture.central.state == .unknown)
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOff)
  }

  @Test("STATE-1: Without any service the radio is off, until one comes")
  func state1noService() async throws {
    let provider = ScriptedProvider()
    await provider.hangUp(listening: false)
    let fixture = CentralFixture(provider)
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOff)
    await provider.listen()
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOn)
  }

  @Test("STATE-2: Each change is told")
  func state2() async throws {
    let fixture = try await CentralFixture.on()
    for state in [AdapterState.poweredOff, .unauthorized, .unsupported, .poweredOn] {
      await fixture.provider.send(.state(DidUpdateState(state: state)))
      #expect(try await fixture.recorder.next(.didUpdateState).managerState?.rawValue == state.rawValue)
    }
    await fixture.provider.send(.state(DidUpdateState(state: .poweredOn)))
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("STATE-3: Commands while the radio is not on are dropped")
  func state3() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send(.state(DidUpdateState(state: .poweredOff)))
    _ = try await fixture.recorder.next(.didUpdateState)
    fixture.central.scanForPeripherals(withServices: nil)
    fixture.central.stopScan()
    fixture.central.connect(meter.peripheral)
    fixture.central.cancelPeripheralConnection(meter.peripheral)
    meter.peripheral.readValue(for: meter.current)
    meter.peripheral.readRSSI()
    #expect(fixture.central.isScanning == false)
    #expect(meter.peripheral.state == .disconnected)
    #expect(try await fixture.eventsSoFar() == [])
    await fixture.provider.send(.state(DidUpdateState(state: .poweredOn)))
    _ = try await fixture.recorder.next(.didUpdateState)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("STATE-4: Nothing is retrieved while the radio is not on")
  func state4() async throws {
    let provider = ScriptedProvider()
    await provider.set(.poweredOff)
    let fixture = CentralFixture(provider)
    _ = try await fixture.recorder.next(.didUpdateState)
    #expect(fixture.central.retrievePeripherals(withIdentifiers: [UUID()]) == [])
    #expect(fixture.central.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]) == [])
  }

  @Test("STATE-5, STATE-6: Power-off ends the scan and all connections; only the state is told")
  func state5and6() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    fixture.central.scanForPeripherals(withServices: nil)
    #expect(await fixture.requestsSoFar() == ["scan"])
    await fixture.provider.send([
      .state(DidUpdateState(state: .poweredOff)), Wire.disconnected(.peripheralDisconnected),
    ])
    let event = try await fixture.recorder.next(.didUpdateState)
    #expect(event.managerState == .poweredOff)
    #expect(event.isScanning == false)
    #expect(meter.peripheral.state == .disconnected)
    await fixture.provider.send(.state(DidUpdateState(state: .poweredOn)))
    #expect(try await fixture.eventsSoFar() == [.didUpdateState])
    #expect(fixture.central.isScanning == false)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("STATE-7: After less than power-off attributes are void; the peripheral connects again")
  func state7() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([
      .state(DidUpdateState(state: .resetting)), .state(DidUpdateState(state: .poweredOn)),
    ])
    #expect(try await fixture.eventsSoFar() == [.didUpdateState, .didUpdateState])
    #expect(meter.peripheral.services == nil)
    try await fixture.connect(meter.peripheral)
    meter.peripheral.readValue(for: meter.current)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("STATE-8: A lost service is a resetting radio, its connections are told to be lost, and it comes back")
  func state8() async throws {
    let fixture = try await CentralFixture.on()
    let connected = try await fixture.connected()
    let connecting = try await fixture.discovered(.beacon)
    fixture.central.connect(connecting)
    _ = await fixture.provider.next("connect")
    await fixture.provider.hangUp(listening: false)
    let event = try await fixture.recorder.next(.didUpdateState)
    #expect(event.managerState == .resetting)
    var ended: [CBPeripheral] = []
    for _ in 0..<2 {
      let event = try await fixture.recorder.next(.didDisconnect)
      #expect((event.error as? CBError)?.code == .connectionTimeout)
      ended.append(event.peripheral!)
    }
    #expect(Set(ended) == [connected, connecting])
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOff)
    await fixture.provider.listen()
    #expect(try await fixture.recorder.next(.didUpdateState).managerState == .poweredOn)
    try await fixture.connect(connected)
    #expect(connected.state == .connected)
  }

  @Test("STATE-9: Authorization is granted once there is a manager, denied when the service says so")
  func state9() async throws {
    let fixture = try await CentralFixture.on()
    #expect(CBManager.authorization != .notDetermined)
    #expect(fixture.central.authorization != .notDetermined)
  }

  @Test("STATE-10: Options that are not known are ignored")
  func state10() async throws {
    _ = try await CentralFixture.on(options: [CBCentralManagerOptionShowPowerAlertKey: true, "other": Data()])
  }

  @Test("STATE-11: Managers of one app are independent")
  func state11() async throws {
    let first = try await CentralFixture.on()
    let second = try await CentralFixture.on()
    first.central.scanForPeripherals(withServices: nil)
    #expect(first.central.isScanning)
    #expect(!second.central.isScanning)
    #expect(await second.requestsSoFar() == [])
  }
}

extension ScriptedProvider {
  func set(_ state: AdapterState) { self.state = state }
}
