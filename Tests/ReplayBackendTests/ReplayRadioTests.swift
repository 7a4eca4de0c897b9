import BridgeIO
import BridgeProtocol
import Radio
import ReplayBackend
import TestSupport
import Testing

@Suite @BridgeQueue struct ReplayRadioTests {
  /// Says what the client of the transcript said, and compares what comes.
  private func play(_ lines: [Transcript.Line], _ client: LineClient) async throws {
    var matcher = TranscriptMatcher()
    for line in lines {
      switch line.direction {
      case .clientToServer:
        client.send(bytes: matcher.withOurIDs(line.message).jsonLine())
        await turns(20)
      case .serverToClient:
        let received = try #require(await client.nextLine(), "\(line.message)")
        let differences = matcher.differences(line.message, try JSONValue(json: received))
        #expect(differences == [], "\(line.message)")
      }
    }
    await turns(20)
    #expect(client.pendingLines == 0)
  }

  @Test(arguments: ["04-passthrough-gatt-notify", "06-passthrough-l2cap", "11-passthrough-advertisements-events"])
  func goldenConversationsReplay(_ name: String) async throws {
    let transcript = try Transcript(named: name)
    let service = try ReplayService(try .of(transcript.lines))
    try await play(transcript.lines, try service.client())
    #expect(service.radio.firstDifference == nil)
    await service.stop()
  }

  /// A replay is recorded, the recording replayed, and that recorded.
  @Test(arguments: ["04-passthrough-gatt-notify", "06-passthrough-l2cap", "11-passthrough-advertisements-events"])
  func aRecordingOfAReplayIsTheSameAgain(_ name: String) async throws {
    let transcript = try Transcript(named: name)
    let first = try ReplayService(try .of(transcript.lines))
    try await play(transcript.lines, try first.client())
    await first.stop()
    let recording = try first.recording()
    let second = try ReplayService(recording)
    let client = try second.client()
    for line in recording.lines {
      switch line.message {
      case .client(let message):
        client.send(message)
        await turns(20)
      case .server(let message):
        guard let received = try await client.next() else { return unexpected() }
        #expect(Self.comparable(received) == Self.comparable(message))
      }
    }
    await second.stop()
  }

  /// Without what no two runs have in common.
  private static func comparable(_ message: ServerMessage) -> ServerMessage {
    switch message {
    case .didDisconnect(var event):
      event.timestamp = nil
      return .didDisconnect(event)
    case .didOpenL2CAP(var reply):
      reply.channelId = ""
      return .didOpenL2CAP(reply)
    case .l2capData(var data):
      data.channelId = ""
      return .l2capData(data)
    case .l2capClosed: return .l2capClosed(L2CAPClosed(channelId: ""))
    default: return message
    }
  }

  private func unexpected() { Issue.record("nothing came") }

  // MARK: Differences

  private static let walk = [
    #"> {"type":"connect","id":"P"}"#, #"< {"type":"didConnect","id":"P"}"#,
    #"> {"type":"discoverServices","id":"P","services":[]}"#,
    #"< {"type":"didDiscoverServices","id":"P","services":[{"id":"P:180F:10","uuid":"180F","primary":true}],"error":""}"#,
    #"> {"type":"discoverCharacteristics","id":"P","serviceId":"P:180F:10"}"#,
    #"< {"type":"didDiscoverCharacteristics","id":"P","serviceId":"P:180F:10","characteristics":"#
      + #"[{"id":"P:180F:10:2A19:11","uuid":"2A19","properties":26}],"error":""}"#,
  ]
  private static let battery = "\(PeripheralIdentifier.meter):180F:10:2A19:11"

  private func service(_ lines: [String], isFast: Bool = true) throws -> ReplayService {
    try ReplayService(try .of(Self.walk + lines), isFast: isFast)
  }

  private func connected(_ service: ReplayService, features: Features = .errors) async throws -> LineClient {
    let client = try service.client()
    client.hello(features: features)
    _ = try await client.next("welcome")
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.next("didConnect") != nil)
    return client
  }

  private func read(_ client: LineClient) async throws -> DidUpdateValue {
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Self.battery)))
    guard case .didUpdateValue(let reply)? = try await client.next("didUpdateValue") else {
      return DidUpdateValue(id: .meter, characteristicId: "", value: [])
    }
    return reply
  }

  private static func read(_ value: String, error: String = "") -> [String] {
    [
      #"> {"type":"read","id":"P","characteristicId":"P:180F:10:2A19:11"}"#,
      #"< {"type":"didUpdateValue","id":"P","characteristicId":"P:180F:10:2A19:11","value":"\#(value)","error":"\#(error)"}"#,
    ]
  }

  @Test func idsAreThoseOfTheRecording() async throws {
    let service = try service(Self.read("AQ=="))
    let client = try await connected(service)
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    guard case .didDiscoverServices(let reply)? = try await client.next("didDiscoverServices") else {
      return unexpected()
    }
    #expect(reply.services.map(\.id) == ["\(PeripheralIdentifier.meter):180F:10"])
    #expect(try await read(client).value == [1])
    await service.stop()
  }

  @Test func sameRequestsGetTheirAnswersInTheRecordedOrder() async throws {
    let service = try service(Self.read("AQ==") + Self.read("Ag==") + Self.read("", error: "No."))
    let client = try await connected(service)
    #expect(try await read(client).value == [1])
    #expect(try await read(client).value == [2])
    #expect(try await read(client).error?.text == "No.")
    await service.stop()
  }

  @Test func aRequestTooManyFailsAndNamesTheDifference() async throws {
    let service = try service(Self.read("AQ==") + [#"> {"type":"readRSSI","id":"P"}"#])
    let client = try await connected(service)
    _ = try await read(client)
    let error = try await read(client).error
    #expect(
      error?.text
        == "not in the recording: a read of 2A19 once more after 1; it goes on in line 9 with a read of the RSSI")
    #expect(error?.domain == .bluetooth && error?.code == 0)
    #expect(service.radio.firstDifference == error?.text)
    await service.stop()
  }

  @Test func writesAreTheSameIfTheirValueIs() async throws {
    let write = #"> {"type":"write","id":"P","characteristicId":"P:180F:10:2A19:11","value":"AQ==","writeType":0}"#
    let written = #"< {"type":"didWriteValue","id":"P","characteristicId":"P:180F:10:2A19:11","error":""}"#
    let service = try service([write, written])
    let client = try await connected(service)
    func error(writing value: UInt8) async throws -> String? {
      client.send(
        .write(
          WriteCharacteristic(id: .meter, characteristicId: Self.battery, value: [value], writeType: .withResponse)))
      guard case .didWriteValue(let reply)? = try await client.next("didWriteValue") else { return "nothing came" }
      return reply.error?.text
    }
    let first = "not in the recording: a write of 02 to 2A19; it goes on in line 7 with a write of 01 to 2A19"
    #expect(try await error(writing: 2) == first)
    #expect(try await error(writing: 1) == nil)
    #expect(
      try await error(writing: 1)
        == "not in the recording: a write of 01 to 2A19 once more after 1; the recording has no more requests. "
        + "The first difference was: \(first)")
    await service.stop()
  }

  @Test func connectingToAStrangerIsADifference() async throws {
    let service = try service([])
    let client = try service.client()
    client.hello(features: .errors)
    client.send(.connect(Connect(id: PeripheralIdentifier(high: 1, low: 2))))
    guard case .didFailConnect(let reply)? = try await client.next("didFailConnect") else { return unexpected() }
    #expect(
      reply.error?.text
        == "not in the recording: a connect; it goes on in line 1 with a connect")
    await service.stop()
  }

  @Test func whatTheRecordedClientDidNotDiscoverIsRefused() async throws {
    let service = try service([])
    let client = try await connected(service)
    let (id, unseen) = ("\(PeripheralIdentifier.meter):180F:10", "\(PeripheralIdentifier.meter):180A:20")
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    _ = try await client.next("didDiscoverServices")
    func ask(_ request: ClientMessage) async throws -> ServerMessage? {
      client.send(request)
      return try await client.next()
    }
    guard
      case .didDiscoverCharacteristics(let known)? = try await ask(
        .discoverCharacteristics(DiscoverCharacteristics(id: .meter, serviceId: id, characteristics: []))),
      case .didDiscoverIncludedServices(let included)? = try await ask(
        .discoverIncludedServices(DiscoverIncludedServices(id: .meter, serviceId: id, services: []))),
      case .didDiscoverDescriptors(let descriptors)? = try await ask(
        .discoverDescriptors(DiscoverDescriptors(id: .meter, characteristicId: Self.battery))),
      case .didDiscoverCharacteristics(let unknown)? = try await ask(
        .discoverCharacteristics(DiscoverCharacteristics(id: .meter, serviceId: unseen, characteristics: []))),
      case .didUpdateValue(let value)? = try await ask(
        .read(ReadCharacteristic(id: .meter, characteristicId: unseen + ":2A29:21")))
    else { return unexpected() }
    #expect(known.error == nil && known.characteristics.count == 1)
    let first =
      "not in the recording: a discovery of included services of 180F; the recording has no more requests"
    #expect(included.error?.text == first)
    #expect(
      descriptors.error?.text
        == "not in the recording: a discovery of descriptors of 2A19; the recording has no more requests. "
        + "The first difference was: \(first)")
    #expect(unknown.error?.text.hasPrefix("not in the recording: a request for the attribute \(unseen)") == true)
    #expect(value.error?.text.hasPrefix("not in the recording: a request for the attribute \(unseen):2A29:21") == true)
    #expect(service.radio.firstDifference == first)
    await service.stop()
  }

  @Test func whatTheRecordedClientWasRefusedIsRefusedTheSameWay() async throws {
    let service = try service([
      #"> {"type":"discoverDescriptors","id":"P","characteristicId":"P:180F:10:2A19:11"}"#,
      #"< {"type":"didDiscoverDescriptors","id":"P","characteristicId":"P:180F:10:2A19:11","descriptors":[],"#
        + #""error":"Nothing.","errorDomain":"CBATTErrorDomain","errorCode":14}"#,
      #"> {"type":"read","id":"P","characteristicId":"P:180A:20:2A29:21"}"#,
      #"< {"type":"didUpdateValue","id":"P","characteristicId":"P:180A:20:2A29:21","value":"","error":"Unknown attribute"}"#,
    ])
    let client = try await connected(service)
    client.send(.discoverDescriptors(DiscoverDescriptors(id: .meter, characteristicId: Self.battery)))
    guard case .didDiscoverDescriptors(let descriptors)? = try await client.next("didDiscoverDescriptors") else {
      return unexpected()
    }
    client.send(
      .read(ReadCharacteristic(id: .meter, characteristicId: "\(PeripheralIdentifier.meter):180A:20:2A29:21")))
    guard case .didUpdateValue(let value)? = try await client.next("didUpdateValue")
    else { return unexpected() }
    #expect(descriptors.error?.text == "Nothing." && descriptors.error?.code == 14)
    #expect(value.error?.text == "Unknown attribute")
    #expect(service.radio.firstDifference == nil)
    await service.stop()
  }

  @Test func clientsAreToldThatARecordingIsServed() async throws {
    let service = try service([])
    let client = try service.client()
    client.hello(features: .state)
    guard case .welcome(let welcome)? = try await client.next("welcome") else { return unexpected() }
    #expect(welcome.mode == "replay")
    await service.stop()
  }

  @Test func aCutRecordingReplaysToTheCut() async throws {
    let lines = Self.read("AQ==") + [Self.read("").first!]
    let whole = try Recording.of(Self.walk + lines)
    let service = try ReplayService(whole)
    let client = try await connected(service)
    #expect(try await read(client).value == [1])
    #expect(
      try await read(client).error?.text
        == "the recording ends before the answer to a read of 2A19 in line 9")
    await service.stop()
  }

  @Test func whatWasCancelledBeforeItsAnswerIsNotAnswered() async throws {
    let service = try service([
      Self.read("").first!, #"> {"type":"cancel","id":"P"}"#,
      #"< {"type":"didDisconnect","id":"P","error":"","timestamp":0,"isReconnecting":false}"#,
    ])
    let client = try await connected(service, features: [.errors, .control])
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Self.battery)))
    #expect(try await client.messagesUntilStatus().isEmpty)
    client.send(.cancel(Cancel(id: .meter)))
    #expect(try await client.next()?.type == "didDisconnect")
    await service.stop()
  }

  // MARK: What comes unasked

  private static let subscribe = [
    #"> {"type":"setNotify","id":"P","characteristicId":"P:180F:10:2A19:11","enabled":true}"#,
    #"< {"type":"didUpdateNotification","id":"P","characteristicId":"P:180F:10:2A19:11","enabled":true,"error":""}"#,
  ]
  private static func value(_ value: String) -> String { read(value).last! }
  private static let lost = #"< {"type":"didDisconnect","id":"P","error":"Gone.","timestamp":0,"isReconnecting":false}"#

  private func subscribe(_ client: LineClient) {
    client.send(.setNotify(SetNotify(id: .meter, characteristicId: Self.battery, enabled: true)))
  }

  @Test func notificationsAndTheLossOfTheLinkFollowTheSubscription() async throws {
    let service = try service(Self.subscribe + [Self.value("AQ=="), Self.value("Ag=="), Self.lost])
    let client = try await connected(service)
    subscribe(client)
    #expect(try await client.next()?.type == "didUpdateNotification")
    var values: [[UInt8]] = []
    while case .didUpdateValue(let update)? = try await client.next() { values.append(update.value) }
    #expect(values == [[1], [2]])
    await service.stop()
  }

  @Test func theLossOfTheLinkIsToldWithItsReason() async throws {
    let service = try ReplayService(try .of([Self.walk[0], Self.walk[1], Self.lost]))
    let client = try await connected(service)
    guard case .didDisconnect(let event)? = try await client.next("didDisconnect") else { return unexpected() }
    #expect(event.error?.text == "Gone.")
    #expect(!service.radio.isConnected(.meter))
    await service.stop()
  }

  /// The recorded client read between two notifications; this one does not, and then writes what comes after.
  @Test func whatFollowedARequestWaitsForThatRequest() async throws {
    let service = try service(Self.subscribe + Self.read("AQ==") + [Self.value("Ag=="), Self.lost])
    let client = try await connected(service, features: [.errors, .control])
    subscribe(client)
    #expect(try await client.next()?.type == "didUpdateNotification")
    #expect(try await client.messagesUntilStatus().isEmpty)
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Self.battery)))
    #expect(try await client.next()?.type == "didUpdateValue")
    #expect(try await client.next()?.type == "didUpdateValue")
    #expect(try await client.next()?.type == "didDisconnect")
    await service.stop()
  }

  @Test func cancellingEarlyLeavesOutWhatTheOldLinkHadLeft() async throws {
    let again = [Self.walk[0], Self.walk[1]]
    let service = try service(
      Self.subscribe + Self.read("AQ==") + [Self.value("Ag=="), Self.lost] + again + Self.read("Aw=="))
    let client = try await connected(service, features: [.errors, .control])
    subscribe(client)
    _ = try await client.next("didUpdateNotification")
    client.send(.cancel(Cancel(id: .meter)))
    _ = try await client.next("didDisconnect")
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.next()?.type == "didConnect")
    #expect(try await client.messagesUntilStatus().isEmpty)
    await service.stop()
  }

  @Test func answersAndNotificationsTakeTheirRecordedTime() async throws {
    // Lines are a second apart.
    let service = try service(Self.subscribe + [Self.value("AQ=="), Self.value("Ag==")], isFast: false)
    let start = ContinuousClock.now
    let client = try await connected(service)
    #expect(ContinuousClock.now - start >= .seconds(1))
    let subscribed = ContinuousClock.now
    subscribe(client)
    _ = try await client.next("didUpdateNotification")
    // The discovery and the subscription, a second each.
    #expect(ContinuousClock.now - subscribed >= .seconds(2))
    _ = try await client.next("didUpdateValue")
    _ = try await client.next("didUpdateValue")
    #expect(ContinuousClock.now - subscribed >= .seconds(4))
    await service.stop()
  }

  @Test func aFailedReadAmongNotificationsIsNoNotification() async throws {
    let service = try service(
      Self.subscribe + [
        Self.read("").first!, Self.value("AQ=="), Self.value("Ag=="), Self.read("", error: "No.").last!,
      ])
    let client = try await connected(service)
    subscribe(client)
    _ = try await client.next("didUpdateNotification")
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Self.battery)))
    var heard: [String] = []
    for _ in 0..<3 {
      guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
      heard.append(update.error?.text ?? "\(update.value)")
    }
    #expect(heard == ["[1]", "[2]", "No."])
    await service.stop()
  }

  @Test func aClientThatKnowsIdsFromEarlierNeedsNoDiscovery() async throws {
    let service = try ReplayService(try .of([Self.walk[0], Self.walk[1]] + Self.read("BQ==")))
    let client = try await connected(service)
    #expect(try await read(client).value == [5])
    await service.stop()
  }

  // MARK: Scans

  @Test func scansReportWhatTheyReportedAndOnceMoreAfterTheLast() async throws {
    let report = #"< {"type":"didDiscover","id":"P","name":"Lamp","rssi":-40,"adv":{"kCBAdvDataLocalName":"Lamp"}}"#
    let service = try ReplayService(
      try .of([
        #"> {"type":"scan","services":[]}"#, report, #"> {"type":"stopScan"}"#, #"> {"type":"scan","services":[]}"#,
        report.replacing("-40", with: "-50"),
      ]))
    let client = try service.client()
    for rssi in [-40, -50, -50] {
      client.send(.scan(Scan(services: [])))
      guard case .didDiscover(let found)? = try await client.next("didDiscover") else { return unexpected() }
      #expect(found.rssi == rssi && found.name == "Lamp")
      client.send(.stopScan(StopScan()))
    }
    await service.stop()
  }

  // MARK: Channels

  @Test func aChannelThatGetsOtherBytesIsClosed() async throws {
    let service = try service([
      #"> {"type":"openL2CAP","id":"P","psm":128}"#,
      #"< {"type":"didOpenL2CAP","id":"P","channelId":"P:128:1","psm":128,"error":""}"#,
      #"> {"type":"l2capWrite","channelId":"P:128:1","value":"AQID"}"#,
      #"< {"type":"l2capData","channelId":"P:128:1","value":"/w=="}"#,
    ])
    let client = try await connected(service)
    client.send(.openL2CAP(OpenL2CAP(id: .meter, psm: 128)))
    guard case .didOpenL2CAP(let reply)? = try await client.next("didOpenL2CAP") else { return unexpected() }
    // Borders between messages do not count.
    client.send(.l2capWrite(L2CAPWrite(channelId: reply.channelId, value: [1, 2])))
    client.send(.l2capWrite(L2CAPWrite(channelId: reply.channelId, value: [3])))
    #expect(try await client.next()?.type == "l2capData")
    client.send(.l2capWrite(L2CAPWrite(channelId: reply.channelId, value: [4])))
    #expect(try await client.next()?.type == "l2capClosed")
    #expect(
      service.radio.firstDifference
        == "not in the recording: byte 4 to the channel of line 8, PSM 128; no more were sent")
    await service.stop()
  }

  // MARK: Hostile files

  @Test func damagedAndReorderedRecordingsAreSurvived() async throws {
    var random = SplitMix64(seed: 7)
    let all = Transcript.all.flatMap(\.lines)
    for _ in 0..<60 {
      var lines = all.shuffled(using: &random).prefix(60)
      if Bool.random(using: &random) {
        lines.sort { $0.direction == .clientToServer && $1.direction != .clientToServer }
      }
      guard let recording = try? Recording.of(Array(lines)) else { continue }
      let service = try ReplayService(recording)
      let client = try service.client()
      client.hello(features: .control)
      _ = try await client.next("welcome")
      for line in all.shuffled(using: &random).prefix(60)
      where line.direction == .clientToServer && line.message["type"]?.stringValue != "hello" {
        client.send(bytes: line.message.jsonLine())
      }
      _ = try await client.messagesUntilStatus()
      await service.stop()
    }
  }
}
