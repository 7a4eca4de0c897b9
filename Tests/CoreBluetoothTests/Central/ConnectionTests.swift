import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct ConnectionTests {
  @Test("CONN-1: connect shows at once and waits as long as it takes; CONN-2: then it is connected, without services")
  func conn1and2() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    #expect(peripheral.state == .connecting)
    #expect(await fixture.requestsSoFar() == ["connect"])
    #expect(try await fixture.eventsSoFar() == [])
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    let event = try await fixture.recorder.next(.didConnect)
    #expect(event.peripheralState == .connected)
    #expect(peripheral.services == nil)
  }

  @Test("CONN-3: A connect needs no delegate of the peripheral")
  func conn3() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    #expect(peripheral.delegate == nil)
    try await fixture.connect(peripheral)
  }

  @Test("CONN-4: A peripheral that nobody keeps is let go of")
  func conn4() async throws {
    let fixture = try await CentralFixture.on()
    do {
      let peripheral = try await fixture.discovered()
      fixture.central.connect(peripheral)
    }
    #expect(await fixture.provider.next()?.type == "connect")
    #expect(await fixture.provider.next()?.type == "cancel")
    await fixture.provider.send(Wire.disconnected())
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("CONN-5: A connect of what is connected is told again, of what is connecting it is not")
  func conn5() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    fixture.central.connect(peripheral)
    #expect(await fixture.requestsSoFar() == ["connect"])
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    #expect(try await fixture.eventsSoFar() == [.didConnect])
    fixture.central.connect(peripheral)
    #expect(try await fixture.recorder.next(.didConnect).peripheralState == .connected)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("CONN-6, CONN-12, CONN-20: A failure is told with the service's error", arguments: [10, 11, 14, 15])
  func conn6(_ code: Int) async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    let error = BluetoothError(.bluetooth, code, "why")
    await fixture.provider.send(.didFailConnect(DidFailConnect(id: .meter, error: error)))
    let event = try await fixture.recorder.next(.didFailToConnect)
    #expect((event.error as? CBError)?.code.rawValue == code)
    #expect(event.error?.localizedDescription == "why")
    #expect(event.peripheralState == .disconnected)
  }

  @Test("CONN-7: A pending connect that is cancelled ends as a disconnect without error")
  func conn7() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    fixture.central.cancelPeripheralConnection(peripheral)
    #expect(peripheral.state == .disconnected)
    let event = try await fixture.recorder.next(.didDisconnect)
    #expect(event.error == nil)
    #expect(await fixture.requestsSoFar() == ["connect", "cancel"])
    await fixture.provider.send([.didConnect(DidConnect(id: .meter)), Wire.disconnected()])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("CONN-8: A connection that is cancelled is disconnecting until its end, and pending requests are forgotten")
  func conn8() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.current)
    fixture.central.cancelPeripheralConnection(meter.peripheral)
    #expect(meter.peripheral.state == .disconnecting)
    #expect(await fixture.requestsSoFar() == ["read", "cancel"])
    await fixture.provider.send([Wire.value([1]), Wire.disconnected()])
    let event = try await fixture.recorder.next(.didDisconnect)
    #expect(event.error == nil)
    #expect(event.peripheralState == .disconnected)
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("CONN-8: A loss that crosses the cancel is told as the end that was asked for, once")
  func conn8crossing() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    fixture.central.cancelPeripheralConnection(peripheral)
    _ = await fixture.provider.next("cancel")
    await fixture.provider.send([Wire.disconnected(.peripheralDisconnected), Wire.disconnected()])
    #expect(try await fixture.recorder.next(.didDisconnect).error == nil)
    #expect(try await fixture.eventsSoFar() == [])
    try await fixture.connect(peripheral)
  }

  @Test("CONN-9: Cancelling what is not connected does nothing")
  func conn9() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.cancelPeripheralConnection(peripheral)
    #expect(await fixture.requestsSoFar() == [])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("CONN-11: A lost link is told with its reason", arguments: [6, 7, 0])
  func conn11(_ code: Int) async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    await fixture.provider.send(Wire.disconnected(BluetoothError(.bluetooth, code, "why")))
    let event = try await fixture.recorder.next(.didDisconnect)
    #expect((event.error as? CBError)?.code.rawValue == code)
    #expect(peripheral.state == .disconnected)
  }

  @Test("PAIR-5, PAIR-6: A lost bond and too many bonds fail a connect, or end the link", arguments: [14, 15, 16])
  func pair5(_ code: Int) async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    let error = try #require(BluetoothError.bluetooth(code))
    fixture.central.connect(peripheral)
    _ = await fixture.provider.next("connect")
    await fixture.provider.send(.didFailConnect(DidFailConnect(id: .meter, error: error)))
    #expect((try await fixture.recorder.next(.didFailToConnect).error as? CBError)?.code.rawValue == code)
    try await fixture.connect(peripheral)
    await fixture.provider.send(Wire.disconnected(error))
    #expect((try await fixture.recorder.next(.didDisconnect).error as? CBError)?.code.rawValue == code)
  }

  @Test("CONN-14, GATT-14: Requests that the lost link takes along are not told, but its end")
  func conn14requests() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    meter.peripheral.readValue(for: meter.current)
    meter.peripheral.writeValue(Data([1]), for: meter.control, type: .withResponse)
    meter.peripheral.readRSSI()
    await fixture.provider.send([
      Wire.value([], error: .peripheralDisconnected), Wire.written(.notConnected),
      .didReadRSSI(DidReadRSSI(id: .meter, rssi: 127, error: .connectionTimeout)),
      Wire.disconnected(.peripheralDisconnected),
    ])
    #expect(try await fixture.eventsSoFar() == [.didDisconnect])
  }

  @Test("A request that fails like those of a lost link is answered if the link stands")
  func failureLikeALostLink() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send(Wire.value([], error: .peripheralDisconnected))
    #expect((try await fixture.recorder.next(.didUpdateValue).error as? CBError)?.code == .peripheralDisconnected)
    withExtendedLifetime(meter) {}
  }

  @Test("CONN-13: A link lost while it was made may end without having been told")
  func conn13() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral)
    _ = await fixture.provider.next("connect")
    await fixture.provider.send(Wire.disconnected(.connectionFailed))
    #expect((try await fixture.recorder.next(.didDisconnect).error as? CBError)?.code == .connectionFailed)
    #expect(peripheral.state == .disconnected)
  }

  @Test("CONN-14, GATT-25: The end of a connection takes with it what was learnt over it")
  func conn14() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send(Wire.notifying(true))
    _ = try await fixture.recorder.next(.didUpdateNotificationState)
    #expect(meter.current.isNotifying)
    await fixture.provider.send(Wire.disconnected(.peripheralDisconnected))
    _ = try await fixture.recorder.next(.didDisconnect)
    #expect(!meter.current.isNotifying)
    #expect(meter.peripheral.services == nil)
    #expect(!meter.peripheral.canSendWriteWithoutResponse)
  }

  @Test("CONN-15: With EnableAutoReconnect a lost link is made again, until it is cancelled")
  func conn15() async throws {
    let recorder = NewerRecorder()
    let fixture = try await CentralFixture.on(recorder: recorder)
    let meter = try await fixture.explored(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    await fixture.provider.send(Wire.disconnected(.connectionTimeout))
    let event = try await recorder.next(.didDisconnectWithTimestamp)
    #expect(event.isReconnecting)
    #expect(event.peripheralState == .connecting)
    #expect(meter.peripheral.services?.isEmpty == false)
    #expect(await fixture.provider.next()?.type == "connect")
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    #expect(try await recorder.next(.didConnect).peripheralState == .connected)
    #expect(meter.peripheral.services == nil)
    fixture.central.cancelPeripheralConnection(meter.peripheral)
    _ = await fixture.provider.next("cancel")
    await fixture.provider.send(Wire.disconnected())
    #expect(try await recorder.next(.didDisconnectWithTimestamp).isReconnecting == false)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("CONN-16, CONN-17: Of the two disconnect methods the one that is there is called, of both the older one")
  func conn16() async throws {
    // The recorder of the other tests has the older one alone.
    let newer = NewerRecorder()
    let fixture = try await CentralFixture.on(recorder: newer)
    let peripheral = try await fixture.connected()
    await fixture.provider.send(Wire.disconnected(.peripheralDisconnected))
    #expect(try await newer.next(.didDisconnectWithTimestamp).peripheral === peripheral)
    let both = BothRecorder()
    let other = try await CentralFixture.on(recorder: both)
    let second = try await other.connected()
    await other.provider.send(Wire.disconnected(.peripheralDisconnected))
    #expect(try await both.next(.didDisconnect).peripheral === second)
    #expect(try await other.eventsSoFar() == [])
  }

  @Test("CONN-18: The time of a disconnect is the service's")
  func conn18() async throws {
    let recorder = NewerRecorder()
    let fixture = try await CentralFixture.on(recorder: recorder)
    let peripheral = try await fixture.connected()
    await fixture.provider.send(Wire.disconnected(.peripheralDisconnected))
    let event = try await recorder.next(.didDisconnectWithTimestamp)
    #expect(event.peripheral === peripheral)
    #expect(event.timestamp == 700_000_000)
  }

  @Test("CONN-19: Alert options are ignored; a delay is kept, a fraction of a second refused")
  func conn19() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 0.5])
    let event = try await fixture.recorder.next(.didFailToConnect)
    #expect((event.error as? CBError)?.code == .invalidParameters)
    #expect(peripheral.state == .disconnected)
    fixture.central.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 3600])
    #expect(peripheral.state == .connecting)
    #expect(await fixture.requestsSoFar() == [])
    fixture.central.cancelPeripheralConnection(peripheral)
    _ = try await fixture.recorder.next(.didDisconnect)
    #expect(await fixture.requestsSoFar() == [])
    fixture.central.connect(peripheral, options: [CBConnectPeripheralOptionNotifyOnConnectionKey: true])
    guard case .connect(let connect)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    #expect(connect.options == ["kCBConnectOptionNotifyOnConnection": .bool(true)])
  }

  @Test("CONN-21, CONN-22: Two managers have a peripheral each, with attributes of its own")
  func conn21() async throws {
    let first = try await CentralFixture.on()
    let second = try await CentralFixture.on()
    let one = try await first.explored()
    let other = try await second.explored()
    #expect(one.peripheral !== other.peripheral)
    #expect(one.service !== other.service)
    first.central.cancelPeripheralConnection(one.peripheral)
    await first.provider.send(Wire.disconnected())
    _ = try await first.recorder.next(.didDisconnect)
    #expect(other.peripheral.state == .connected)
  }

  @Test("RETR-5: Peripherals of another manager are ignored")
  func retr5() async throws {
    let first = try await CentralFixture.on()
    let second = try await CentralFixture.on()
    let peripheral = try await first.discovered()
    second.central.connect(peripheral)
    #expect(await second.requestsSoFar() == [])
    #expect(peripheral.state == .disconnected)
  }

  @Test("CONN-23: Requests while not connected are dropped")
  func conn23() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    peripheral.delegate = fixture.recorder
    peripheral.discoverServices(nil)
    peripheral.readRSSI()
    #expect(await fixture.requestsSoFar() == [])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("A connect from inside the disconnect callback makes a new connection that works")
  func reconnectingFromTheCallback() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let central = Held(fixture.central!)
    fixture.recorder.onEvent { event in
      if event.name == .didDisconnect { central.object.connect(event.peripheral!) }
    }
    await fixture.provider.send(Wire.disconnected(.peripheralDisconnected))
    _ = try await fixture.recorder.next(.didDisconnect)
    #expect(await fixture.provider.next()?.type == "connect")
    await fixture.provider.send(.didConnect(DidConnect(id: .meter)))
    _ = try await fixture.recorder.next(.didConnect)
    meter.peripheral.discoverServices(nil)
    #expect(await fixture.provider.next()?.type == "discoverServices")
    await fixture.provider.send(.didDiscoverServices(Wire.services()))
    #expect(try await fixture.recorder.next(.didDiscoverServices).services.count == 2)
  }

  @Test("A connect right behind a cancel is another connection, whatever crosses on the way")
  func connectingBehindACancel() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    fixture.central.cancelPeripheralConnection(peripheral)
    fixture.central.connect(peripheral)
    #expect(peripheral.state == .connecting)
    #expect(await fixture.requestsSoFar() == ["cancel", "connect"])
    await fixture.provider.send([Wire.disconnected(), .didConnect(DidConnect(id: .meter))])
    #expect(try await fixture.eventsSoFar() == [.didDisconnect, .didConnect])
    #expect(peripheral.state == .connected)
  }
}
