import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import TestSupport
import Testing

/// What clients see of a radio that is off.
@Suite @BridgeQueue struct RadioStateTests {
  @Test func withoutARadioNobodyListensAndTheListenerReturnsWithIt() async throws {
    let service = try ServiceFixture(state: .poweredOff)
    #expect(throws: SocketError.self) { try service.client() }
    service.radio.setState(.poweredOn)
    let client = try await service.connectedClient()
    service.radio.setState(.resetting)
    #expect(await client.closes())
    #expect(throws: SocketError.self) { try service.client() }
    service.radio.setState(.poweredOn)
    _ = try await service.connectedClient()
    await service.stop()
  }

  @Test func aClientThatKnowsStatesStaysAndIsTold() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: [.state, .errors])
    service.radio.setState(.poweredOff)
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOff)))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.error != nil)
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.next()?.type == "didFailConnect")
    for state in [AdapterState.resetting, .unsupported, .unauthorized, .poweredOn] {
      service.radio.setState(state)
      #expect(try await client.next() == .state(DidUpdateState(state: state)))
    }
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.next()?.type == "didConnect")
    await service.stop()
  }

  @Test func aPendingConnectFailsWhenTheRadioGoes() async throws {
    let service = try ServiceFixture()
    service.radio.onConnect = { _ in }
    let client = try service.client()
    client.hello(features: [.state, .control])
    client.send(.connect(Connect(id: .meter)))
    _ = try await client.messagesUntilStatus()
    service.radio.setState(.poweredOff)
    #expect(try await client.next()?.type == "state")
    #expect(try await client.next()?.type == "didFailConnect")
    await service.stop()
  }

  @Test func aRequestAtTheRadioIsAnsweredWhenTheRadioGoes() async throws {
    let service = try ServiceFixture()
    var completions: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { completions.append($1) }
    let client = try await service.connectedClient(features: [.state, .errors])
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    #expect(await eventually { completions.count == 1 })
    // The order that a radio promises.
    completions[0](.failure(.peripheralDisconnected))
    service.radio.setState(.poweredOff)
    guard case .didUpdateValue(let value)? = try await client.next() else { return unexpected() }
    #expect(value.characteristicId == Meter.currentID && value.error == .peripheralDisconnected)
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOff)))
    #expect(try await client.next()?.type == "didDisconnect")
    await service.stop()
  }

  @Test func theControlSocketAnswersWithoutARadio() async throws {
    let service = try ServiceFixture(state: .unsupported)
    let client = try service.controlClient()
    client.hello("bridge", features: [.control, .state])
    guard case .welcome(let welcome)? = try await client.next() else { return unexpected() }
    #expect(welcome.serverVersion == "1.2.3")
    #expect(welcome.state == .unsupported)
    #expect(welcome.mode == "passthrough")
    #expect(welcome.features == [.control, .state])
    client.send(.status(Status()))
    guard case .didReportStatus(let status)? = try await client.next() else { return unexpected() }
    #expect(status.radio.state == .unsupported)
    #expect(status.socketPath == service.path)
    #expect(status.clients.map(\.bundleId) == ["bridge"])
    await service.stop()
  }

  @Test func stoppingEndsEverythingInOrder() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(.scan(Scan()))
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: false))) })
    await service.stop()
    #expect(await client.closes())
    #expect(service.radio.commands.suffix(3) == [.scan(nil), .disconnect(.meter), .stop])
    // Asked again, it is as it was.
    await service.stop()
    for file in ["s", "s.control", "s.lock"] { #expect(access(service.folder.file(file), F_OK) != 0) }
  }
}
