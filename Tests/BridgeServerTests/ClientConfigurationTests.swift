import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Virtual devices that a client brings along.
@Suite @BridgeQueue struct ClientConfigurationTests {
  private let lamp = MockDevice.lamp(.beacon, value: [1])
  private let valueID = "\(PeripheralIdentifier.beacon):180F:1:2A19:2"

  private func service(_ mode: RadioMode = .mock) throws -> ServiceFixture {
    try ServiceFixture(
      choice: RadioChoice(mode: mode, configuration: MockConfiguration(name: "Shared", devices: [lamp])))
  }

  private func upload(_ devices: [MockDevice]) throws -> ClientMessage {
    let text = try JSONText(MockConfiguration(name: "Own", devices: devices).json())
    return .setMockConfiguration(SetMockConfiguration(configuration: text))
  }

  private func client(_ service: ServiceFixture, pid: Int = 1) async throws -> LineClient {
    let client = try service.client()
    client.hello(pid: pid, features: .control)
    _ = try await client.next("welcome")
    return client
  }

  private func upload(_ devices: [MockDevice], _ client: LineClient) async throws {
    client.send(try upload(devices))
    #expect(try await client.next("didSetMockConfiguration") == .didSetMockConfiguration(DidSetMockConfiguration()))
  }

  private func connect(_ client: LineClient, _ id: PeripheralIdentifier) async throws -> String? {
    client.send(.connect(Connect(id: id)))
    return try await client.next()?.type
  }

  private func value(_ client: LineClient) async throws -> [UInt8]? {
    client.send(.read(ReadCharacteristic(id: .beacon, characteristicId: valueID)))
    guard case .didUpdateValue(let update)? = try await client.next() else { return nil }
    return update.value
  }

  @Test func aClientSeesItsOwnDevicesInPlaceOfTheServicesAndNobodyElseDoes() async throws {
    let service = try service(.both)
    let owner = try await client(service)
    let other = try await client(service, pid: 2)
    try await upload([.lamp(.stranger, value: [2])], owner)
    #expect(try await connect(owner, .stranger) == "didConnect")
    #expect(try await connect(owner, .beacon) == "didFailConnect")
    #expect(try await connect(owner, .meter) == "didConnect")
    #expect(try await connect(other, .stranger) == "didFailConnect")
    #expect(try await connect(other, .beacon) == "didConnect")
    await service.stop()
  }

  @Test(arguments: [
    (#"{"id":"x"}"#, ""), ("{}", "missing"), ("[]", "configuration"), ("null", "configuration: missing"),
    (#"{"id":"6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4EFF","name":"n","devices":[{"id":1}]}"#, "devices[0]."),
  ])
  func aRefusedUploadSaysWhyAndLeavesThePreviousOne(_ configuration: String, _ reason: String) async throws {
    let service = try service()
    let client = try await client(service)
    try await upload([.lamp(.stranger, value: [2])], client)
    client.send(#"{"type":"setMockConfiguration","configuration":\#(configuration)}"#)
    guard case .didSetMockConfiguration(let answer)? = try await client.next() else { return unexpected() }
    let failure = try #require(answer.failure)
    #expect(!failure.isEmpty && (reason.isEmpty || failure.contains(reason)), "\(failure)")
    #expect(try await connect(client, .stranger) == "didConnect")
    await service.stop()
  }

  @Test(arguments: [RadioMode.bluez, .off, .auto])
  func inPassthroughAnUploadIsRefused(_ mode: RadioMode) async throws {
    let service = try service(mode)
    let client = try service.controlClient()
    client.send(try upload([lamp]))
    guard case .didSetMockConfiguration(let answer)? = try await client.next() else { return unexpected() }
    #expect(answer.failure == "Not serving mock devices")
    await service.stop()
  }

  @Test func aRunningScanShowsTheChange() async throws {
    let service = try service()
    let client = try await client(service)
    client.send(.scan(Scan()))
    _ = try await client.messagesUntilStatus()
    let shared = try #require(service.factory?.mocks.first)
    shared.advertise(.beacon, AdvertisementData(localName: "Shared"))
    #expect(try await client.next()?.type == "didDiscover")
    try await upload([.lamp(.beacon, value: [2])], client)
    #expect(shared.commands.last == .scan(nil))
    let own = try #require(service.factory?.mocks.last)
    #expect(own.commands == [.start, .scan(RadioScan(allowDuplicates: false))])
    // The same identifier and revision, but another device.
    own.advertise(.beacon, AdvertisementData(localName: "Own"))
    shared.advertise(.beacon, AdvertisementData(localName: "Shared"), revision: 2)
    guard case .didDiscover(let report)? = try await client.messagesUntilStatus().first else { return unexpected() }
    #expect(report.advertisement.localName == "Own")
    client.send(.clearMockConfiguration(ClearMockConfiguration()))
    _ = try await client.messagesUntilStatus()
    shared.advertise(.beacon, AdvertisementData(localName: "Shared"), revision: 2)
    #expect(try await client.next()?.type == "didDiscover")
    #expect(own.commands.last == .stop)
    await service.stop()
  }

  /// The link to the new device was only being made, and the answer was that there is none.
  @Test func aReadOfTheRSSIWhileDevicesAreReplacedIsAnswered() async throws {
    let service = try service()
    let client = try await client(service)
    #expect(try await connect(client, .beacon) == "didConnect")
    client.send(try upload([.lamp(.beacon, value: [2])]))
    client.send(.readRSSI(ReadRSSI(id: .beacon)))
    #expect(try await client.next()?.type == "didSetMockConfiguration")
    guard case .didReadRSSI(let answer)? = try await client.next() else { return unexpected() }
    #expect(answer.error == nil)
    await service.stop()
  }

  @Test func aConnectionOutlivesAnUploadThatKeepsTheDevice() async throws {
    let service = try service()
    let client = try await client(service)
    #expect(try await connect(client, .beacon) == "didConnect")
    #expect(try await value(client) == [1])
    client.send(.setNotify(SetNotify(id: .beacon, characteristicId: valueID, enabled: true)))
    #expect(try await client.next()?.type == "didUpdateNotification")
    // Asked for before the new world has the link.
    client.send(try upload([.lamp(.beacon, value: [2])]))
    client.send(.read(ReadCharacteristic(id: .beacon, characteristicId: valueID)))
    #expect(try await client.next()?.type == "didSetMockConfiguration")
    guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
    #expect(update.value == [2])
    let own = try #require(service.factory?.mocks.last)
    #expect(own.commands.contains(.setNotify(true, 2)))
    own.notify([9], 2, of: .beacon)
    guard case .didUpdateValue(let notification)? = try await client.next() else { return unexpected() }
    #expect(notification.value == [9])
    // And the next upload, into the same world.
    try await upload([.lamp(.beacon, value: [3])], client)
    #expect(try await value(client) == [3])
    #expect(try await client.messagesUntilStatus() == [])
    #expect(service.factory?.mocks.first?.commands.last == .disconnect(.beacon))
    await service.stop()
  }

  @Test func aConnectionThatIsStillComingComesFromTheNewWorld() async throws {
    let service = try service()
    let shared = try #require(service.factory?.mocks.first)
    shared.onConnect = { _ in }
    let client = try await client(service)
    client.send(.connect(Connect(id: .beacon)))
    client.send(try upload([lamp]))
    #expect(try await client.next()?.type == "didSetMockConfiguration")
    #expect(try await client.next() == .didConnect(DidConnect(id: .beacon)))
    #expect(shared.commands.last == .disconnect(.beacon))
    await service.stop()
  }

  @Test func whatTheNewDevicesDoNotHaveIsToldGone() async throws {
    let service = try service()
    let client = try await client(service)
    #expect(try await connect(client, .beacon) == "didConnect")
    #expect(try await value(client) == [1])
    var changed = lamp
    changed.services[0].characteristics[0].properties = .read
    client.send(try upload([changed]))
    #expect(try await client.next()?.type == "didSetMockConfiguration")
    #expect(
      try await client.next()
        == .didModifyServices(DidModifyServices(id: .beacon, serviceIds: ["\(PeripheralIdentifier.beacon):180F:1"])))
    await service.stop()
  }

  @Test func aDeviceThatIsNotKeptIsDisconnected() async throws {
    let service = try service()
    let client = try await client(service)
    #expect(try await connect(client, .beacon) == "didConnect")
    client.send(try upload([.lamp(.stranger, value: [2])]))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.id == .beacon && end.error != nil)
    #expect(try await client.next()?.type == "didSetMockConfiguration")
    #expect(try await connect(client, .stranger) == "didConnect")
    client.send(.clearMockConfiguration(ClearMockConfiguration()))
    guard case .didDisconnect(let second)? = try await client.next() else { return unexpected() }
    #expect(second.id == .stranger)
    #expect(try await connect(client, .beacon) == "didConnect")
    await service.stop()
  }

  @Test func ownDevicesGoWithTheClientAndAreNotThereAtItsNextConnect() async throws {
    let service = try service()
    let client = try await client(service)
    try await upload([.lamp(.stranger, value: [2])], client)
    #expect(try await connect(client, .stranger) == "didConnect")
    client.close()
    #expect(await eventually { service.factory?.mocks.last?.commands.last == .stop })
    let again = try await self.client(service)
    #expect(try await connect(again, .stranger) == "didFailConnect")
    await service.stop()
  }

  @Test func ownDevicesEndWhenTheModeChanges() async throws {
    let service = try service()
    let client = try service.client()
    client.hello(features: [.state, .control])
    _ = try await client.next("welcome")
    try await upload([.lamp(.stranger, value: [2])], client)
    #expect(try await connect(client, .stranger) == "didConnect")
    client.send(.setMode(SetMode(mode: .both)))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.id == .stranger)
    #expect(try await client.next() == .state(DidUpdateState(state: .poweredOn, mode: "both")))
    #expect(try await client.next()?.type == "didSetMode")
    #expect(try await connect(client, .stranger) == "didFailConnect")
    #expect(try await connect(client, .beacon) == "didConnect")
    await service.stop()
  }

  @Test func ownDevicesYieldToRealOnesToo() async throws {
    let service = try service(.both)
    let client = try await client(service)
    try await upload([.lamp(.meter, value: [2]), .lamp(.stranger, value: [3])], client)
    let own = try #require(service.factory?.mocks.last)
    #expect(own.devices[.meter] == nil && own.devices.count == 2)
    client.send(.scan(Scan()))
    _ = try await client.messagesUntilStatus()
    service.radio.advertise(.stranger, AdvertisementData(localName: "Real"))
    #expect(try await client.next()?.type == "didDiscover")
    #expect(own.devices[.stranger] == nil && own.devices.count == 2)
    await service.stop()
  }
}
