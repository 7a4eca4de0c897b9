import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Two radios side by side.
@Suite @BridgeQueue struct WorldTests {
  private let virtual = ScriptedRadio(kind: "mock")

  private func service(state: AdapterState = .poweredOn) throws -> ServiceFixture {
    virtual.devices[.beacon] = ScriptedRadio.Device(
      name: "Virtual", database: ScriptedRadio.Device.benchMeter.database)
    virtual.devices[.beacon]?.values[Meter.current] = .success([0x77])
    return try ServiceFixture(state: state, others: [virtual])
  }

  private func readID(_ id: PeripheralIdentifier) -> ReadCharacteristic {
    ReadCharacteristic(
      id: id, characteristicId: "\(id):\(BluetoothUUID.vendor(0x20)):20:\(BluetoothUUID.vendor(0x21)):21")
  }

  @Test func aScanGoesToEveryWorldAndEndsInEveryWorld() async throws {
    let service = try service()
    let client = try service.client()
    client.hello(features: .control)
    client.send(.scan(Scan()))
    _ = try await client.messagesUntilStatus()
    service.radio.advertise(.meter, AdvertisementData(localName: "Bench Meter"))
    virtual.advertise(.beacon, AdvertisementData(localName: "Virtual"))
    guard case .didDiscover(let real)? = try await client.next(),
      case .didDiscover(let other)? = try await client.next()
    else { return unexpected() }
    #expect([real.id, other.id] == [.meter, .beacon])
    client.send(.stopScan(StopScan()))
    _ = try await client.messagesUntilStatus()
    for radio in [service.radio, virtual] {
      #expect(radio.commands.suffix(2) == [.scan(RadioScan(allowDuplicates: false)), .scan(nil)])
    }
    await service.stop()
  }

  @Test func aPeripheralsRequestsGoToTheWorldThatKnowsIt() async throws {
    let service = try service()
    let client = try await service.connectedClient()
    client.send(.connect(Connect(id: .beacon)))
    #expect(try await client.next() == .didConnect(DidConnect(id: .beacon)))
    client.send(.read(readID(.meter)))
    client.send(.read(readID(.beacon)))
    guard case .didUpdateValue(let real)? = try await client.next(),
      case .didUpdateValue(let other)? = try await client.next()
    else { return unexpected() }
    #expect([real.value, other.value] == [[0x0C, 0x00], [0x77]])
    #expect(virtual.commands == [.start, .connect(.beacon), .discoverServices(.beacon), .read(Meter.current)])
    client.send(.cancel(Cancel(id: .beacon)))
    #expect(try await client.next()?.type == "didDisconnect")
    #expect(virtual.commands.last == .disconnect(.beacon))
    #expect(!service.radio.commands.contains(.disconnect(.meter)))
    await service.stop()
  }

  @Test func losingOneWorldEndsItsLinksAndNoClient() async throws {
    let service = try service()
    let client = try await service.connectedClient(features: [.state, .control])
    let plain = try await service.connectedClient(pid: 2)
    plain.send(.connect(Connect(id: .beacon)))
    #expect(try await plain.next()?.type == "didConnect")

    service.radio.setState(.poweredOff)
    for client in [client, plain] {
      guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
      #expect(end.id == .meter && end.error != nil)
    }
    // The other world is on, so for clients Bluetooth is.
    #expect(try await client.messagesUntilStatus() == [])
    plain.send(.read(readID(.beacon)))
    #expect(try await plain.next()?.type == "didUpdateValue")
    plain.send(.connect(Connect(id: .meter)))
    guard case .didFailConnect(let failure)? = try await plain.next() else { return unexpected() }
    #expect(failure.id == .meter)
    service.radio.setState(.poweredOn)
    #expect(try await client.messagesUntilStatus() == [])

    service.radio.setState(.poweredOff)
    virtual.setState(.poweredOff)
    #expect(await plain.closes())
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOff)))
    await service.stop()
  }

  @Test func clientsAreServedWhenOnlyTheSecondWorldIsOn() async throws {
    let service = try service(state: .unsupported)
    let client = try service.client()
    client.hello(features: .control)
    guard case .welcome(let welcome)? = try await client.next() else { return unexpected() }
    #expect(welcome.state == .poweredOn)
    client.send(.connect(Connect(id: .beacon)))
    #expect(try await client.next()?.type == "didConnect")
    await service.stop()
  }

  @Test func aDeadClientLetsGoInEveryWorld() async throws {
    let service = try service()
    let client = try await service.connectedClient()
    client.send(.connect(Connect(id: .beacon)))
    #expect(try await client.next()?.type == "didConnect")
    client.close()
    #expect(await eventually { service.radio.commands.contains(.disconnect(.meter)) })
    #expect(await eventually { virtual.commands.contains(.disconnect(.beacon)) })
    await service.stop()
    #expect(virtual.commands.last == .stop)
  }
}
