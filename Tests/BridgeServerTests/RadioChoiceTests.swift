import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Which worlds a service serves, and what clients see when that changes.
@Suite @BridgeQueue struct RadioChoiceTests {
  private let lamp = MockDevice.lamp(.beacon, value: [1])

  private func service(
    _ mode: RadioMode, state: AdapterState = .poweredOn, adapter: String? = "hci9", _ devices: [MockDevice]? = nil
  ) throws -> ServiceFixture {
    let configuration = MockConfiguration(name: "Lamps", devices: devices ?? [lamp])
    return try ServiceFixture(
      choice: RadioChoice(mode: mode, configuration: configuration), state: state, adapter: adapter)
  }

  private func tool(_ service: ServiceFixture) async throws -> LineClient {
    let tool = try service.controlClient()
    tool.hello("bridge", features: .control)
    _ = try await tool.next("welcome")
    return tool
  }

  private func status(_ tool: LineClient) async throws -> DidReportStatus? {
    tool.send(.status(Status()))
    guard case .didReportStatus(let status)? = try await tool.next("didReportStatus") else { return nil }
    return status
  }

  private func choose(_ tool: LineClient, _ request: SetMode) async throws -> DidSetMode? {
    tool.send(.setMode(request))
    guard case .didSetMode(let answer)? = try await tool.next("didSetMode") else { return nil }
    return answer
  }

  private func connect(_ client: LineClient, _ id: PeripheralIdentifier) async throws -> String? {
    client.send(.connect(Connect(id: id)))
    return try await client.next()?.type
  }

  // MARK: At start

  @Test(arguments: [
    (RadioMode.bluez, "passthrough", ["scripted"]), (.mock, "mock", ["mock"]), (.both, "both", ["scripted", "mock"]),
    (.off, "off", []), (.auto, "passthrough", ["scripted"]),
  ])
  func eachModeServesItsWorlds(_ mode: RadioMode, _ serving: String, _ kinds: [String]) async throws {
    let service = try service(mode)
    let status = try #require(try await status(try await tool(service)))
    #expect(status.mode == mode && status.serving == serving && status.radios.map(\.kind) == kinds)
    #expect(status.mockConfiguration == "Lamps" && status.notice == nil)
    // What is not served is not touched either.
    #expect(service.radio.commands.isEmpty == !kinds.contains("scripted"))
    if mode == .off {
      #expect(throws: SocketError.self) { try service.client() }
    } else {
      let client = try service.client()
      client.hello(features: [])
      guard case .welcome(let welcome)? = try await client.next() else { return unexpected() }
      #expect(welcome.mode == serving && welcome.state == .poweredOn)
      #expect(try await connect(client, .meter) == (kinds.contains("scripted") ? "didConnect" : "didFailConnect"))
      #expect(try await connect(client, .beacon) == (kinds.contains("mock") ? "didConnect" : "didFailConnect"))
    }
    await service.stop()
  }

  @Test func autoServesVirtualDevicesOnlyOnceItIsKnownThatThereIsNoAdapter() async throws {
    let service = try service(.auto, state: .unknown, adapter: nil)
    #expect(throws: SocketError.self) { try service.client() }
    service.radio.setState(.unsupported)
    let client = try service.client()
    #expect(try await connect(client, .beacon) == "didConnect")
    let status = try #require(try await status(try await tool(service)))
    #expect(status.mode == .auto && status.serving == "mock")
    #expect(status.notice?.hasPrefix("Virtual devices are served until there is an adapter.") == true)
    await service.stop()
  }

  @Test func autoTakesUpADonglePluggedInLaterAndStaysWithItWhenItGoes() async throws {
    let service = try service(.auto, state: .unsupported, adapter: nil)
    let client = try service.client()
    client.hello()
    #expect(try await connect(client, .beacon) == "didConnect")
    service.radio.adapter = "hci9"
    service.radio.setState(.poweredOn)
    #expect(await client.closes())
    let mock = try #require(service.factory?.mocks.first)
    #expect(mock.commands.last == .stop)
    _ = try await service.connectedClient()

    service.radio.adapter = nil
    service.radio.setState(.unknown)
    service.radio.setState(.unsupported)
    #expect(throws: SocketError.self) { try service.client() }
    let tool = try await tool(service)
    let status = try #require(try await status(tool))
    #expect(status.serving == "passthrough" && status.notice?.contains("bridge mode mock") == true)
    // Who chooses anew begins anew.
    #expect(try await choose(tool, SetMode(mode: .auto))?.serving == "mock")
    #expect(service.factory?.hardwareCount == 1)
    await service.stop()
  }

  // MARK: Changing

  @Test func aSwitchClosesImpossiBLEsClientsAndEndsWhatTheOthersHad() async throws {
    let service = try service(.bluez)
    let plain = try await service.connectedClient(pid: 1)
    let knowing = try await service.connectedClient(pid: 2, features: [.state])
    let tool = try await tool(service)
    let answer = try #require(try await choose(tool, SetMode(mode: .mock)))
    #expect(answer == DidSetMode(mode: .mock, serving: "mock", mockConfiguration: "Lamps"))
    #expect(await plain.closes())
    guard case .didDisconnect(let end)? = try await knowing.next() else { return unexpected() }
    #expect(end.id == .meter && end.error != nil)
    #expect(try await knowing.next() == .state(DidUpdateState(state: .resetting, mode: "mock")))
    #expect(try await knowing.next() == .state(DidUpdateState(state: .poweredOn)))
    #expect(try await connect(knowing, .meter) == "didFailConnect")
    #expect(try await connect(knowing, .beacon) == "didConnect")
    #expect(service.radio.commands.last == .stop)
    #expect(service.factory?.remembered.map(\.mode) == [.mock])
    await service.stop()
  }

  @Test func aWorldThatStaysKeepsItsLinksAndARunningScanGoesOnInTheNewOne() async throws {
    let service = try service(.bluez)
    let client = try await service.connectedClient(features: [.state])
    client.send(.scan(Scan()))
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: false))) })
    let tool = try await tool(service)
    _ = try await choose(tool, SetMode(mode: .both))
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOn, mode: "both")))
    let mock = try #require(service.factory?.mocks.first)
    #expect(mock.commands.contains(.scan(RadioScan(allowDuplicates: false))))
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next()?.type == "didReadRSSI")
    #expect(try await connect(client, .beacon) == "didConnect")

    _ = try await choose(tool, SetMode(mode: .bluez))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.id == .beacon)
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOn, mode: "passthrough")))
    #expect(mock.commands.suffix(2) == [.scan(nil), .stop])
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next()?.type == "didReadRSSI")
    await service.stop()
  }

  @Test func offIsOffAndComesBack() async throws {
    let service = try service(.both)
    let client = try service.client()
    client.hello(features: [.state])
    _ = try await client.next("welcome")
    let tool = try await tool(service)
    #expect(try await choose(tool, SetMode(mode: .off))?.serving == "off")
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOff, mode: "off")))
    #expect(throws: SocketError.self) { try service.client() }
    #expect(try await connect(client, .beacon) == "didFailConnect")
    // The adapter's radio is let go of before it is asked for again.
    #expect(try await choose(tool, SetMode(mode: .both))?.error == nil)
    #expect(await eventually { service.factory?.hardwareCount == 2 })
    var news = try await client.next()
    // Meanwhile the virtual devices are there.
    if news == .state(DidUpdateState(state: .poweredOn, mode: "mock")) { news = try await client.next() }
    #expect(news == .state(DidUpdateState(state: .poweredOn, mode: "both")))
    await service.stop()
  }

  @Test func whatCannotBeChosenIsRefusedAndChangesNothing() async throws {
    let service = try service(.mock)
    let tool = try await tool(service)
    let unknown = try await choose(tool, SetMode(mode: .off, mockConfiguration: "Moon"))
    #expect(unknown?.error?.text == "no Moon here" && unknown?.mode == .mock)
    tool.send(#"{"type":"setMode","mode":"sideways"}"#)
    guard case .didSetMode(let answer)? = try await tool.next() else { return unexpected() }
    #expect(answer.error?.text.contains("mode") == true && answer.serving == "mock")
    #expect(service.factory?.remembered == [])
    await service.stop()

    let fixed = try ServiceFixture()
    let other = try await self.tool(fixed)
    let refused = try await choose(other, SetMode(mode: .off))
    #expect(refused?.mode == .bluez && refused?.error != nil)
    await fixed.stop()
  }

  @Test func setModeWithoutTheFeatureIsIgnored() async throws {
    let service = try service(.mock)
    let client = try service.client()
    client.send(.setMode(SetMode(mode: .off)))
    #expect(try await connect(client, .beacon) == "didConnect")
    await service.stop()
  }

  @Test func anotherConfigurationIsServedToThoseWhoAreThere() async throws {
    let service = try service(.mock)
    service.factory?.configurations["More"] = MockConfiguration(
      name: "More", devices: [lamp, .lamp(.stranger, value: [2])])
    let client = try service.client()
    #expect(try await connect(client, .beacon) == "didConnect")
    let tool = try await tool(service)
    #expect(try await choose(tool, SetMode(mockConfiguration: "More"))?.mockConfiguration == "More")
    #expect(try await connect(client, .stranger) == "didConnect")
    client.send(.readRSSI(ReadRSSI(id: .beacon)))
    #expect(try await client.next()?.type == "didReadRSSI")
    #expect(service.factory?.remembered.last?.configuration.name == "More")
    await service.stop()
  }

  @Test func aChoiceThatComesWithTheStopStartsNothing() async throws {
    let service = try service(.mock)
    service.factory?.configurations["More"] = MockConfiguration(name: "More", devices: [lamp])
    let tool = try await tool(service)
    // The configuration is found in a later turn, when all has stopped.
    tool.send(.setMode(SetMode(mode: .both, mockConfiguration: "More")))
    service.factory?.onLoad = { Task { await service.stop() } }
    #expect(await tool.closes())
    await service.stop()
    await turns(20)
    #expect(service.factory?.remembered == [] && service.factory?.mocks.count == 1)
    #expect(service.radio.commands == [])
  }

  // MARK: Identifiers

  @Test func aVirtualDeviceYieldsItsIdentifierToTheRealOne() async throws {
    let service = try service(.both, [lamp, .lamp(.meter, value: [3])])
    let mock = try #require(service.factory?.mocks.first)
    let other = try #require(mock.devices.keys.first { $0 != .beacon })
    #expect(other != .meter && other == PeripheralIdentifier(derivedFrom: "virtual \(PeripheralIdentifier.meter)"))
    let client = try service.client()
    #expect(try await connect(client, .meter) == "didConnect")
    #expect(service.radio.commands.contains(.connect(.meter)))
    #expect(try await connect(client, other) == "didConnect")

    // Alone it has its own.
    _ = try await choose(try await tool(service), SetMode(mode: .mock))
    #expect(service.factory?.mocks.last?.devices[.meter] != nil)
    await service.stop()
  }

  @Test func aVirtualDeviceYieldsWhenTheRealOneIsHeardLater() async throws {
    let service = try service(.both)
    let client = try service.client()
    client.hello(features: .control)
    #expect(try await client.next()?.type == "welcome")
    #expect(try await connect(client, .beacon) == "didConnect")
    client.send(.scan(Scan()))
    _ = try await client.messagesUntilStatus()
    service.radio.advertise(.beacon, AdvertisementData(localName: "Real"))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.id == .beacon)
    #expect(try await client.next()?.type == "didDiscover")
    #expect(service.factory?.mocks.first?.devices[.beacon] == nil)
    #expect(try await connect(client, .beacon) == "didConnect")
    #expect(service.radio.commands.last == .connect(.beacon))
    await service.stop()
  }
}

extension MockDevice {
  /// One readable and notifying value.
  static func lamp(_ id: PeripheralIdentifier, value: [UInt8]) -> MockDevice {
    MockDevice(
      id: id, name: "Lamp",
      services: [
        MockService(
          uuid: .battery,
          characteristics: [
            MockCharacteristic(uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .notify], value: value)
          ])
      ])
  }
}
