import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Whatever a client sends, it gets an answer where the wire has one, and nobody else notices.
@Suite @BridgeQueue struct BadInputTests {
  @Test(arguments: [
    "not json", "[1,2]", "{}", "{\"type\":7}", "{\"type\":\"scan\",\"services\":5}",
    "{\"type\":\"connect\",\"id\":\"nonsense\"}",
    "{\"type\":\"scan\",\"services\":[\"FFF\"]}", "{\"type\":\"wat\",\"x\":1}", "{\"type\":\"connect\"", "\u{7F}\u{1}",
    String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
  ])
  func aLineThatMeansNothingIsPassedOver(_ line: String) async throws {
    let service = try ServiceFixture()
    let other = try await service.connectedClient()
    let client = try service.client()
    client.hello(features: .control)
    client.send(line)
    client.send(bytes: [0x7B, 0xFF, 0xC0, 0x7D, 0x0A])
    let messages = try await client.messagesUntilStatus()
    #expect(messages.map(\.type) == ["welcome"])
    other.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await other.next()?.type == "didReadRSSI")
    await service.stop()
  }

  @Test func requestsThatCannotBeReadAreAnswered() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .errors)
    let meter = PeripheralIdentifier.meter.text
    let cases = [
      ("{\"type\":\"openL2CAP\",\"id\":\"\(meter)\",\"psm\":70000}", "didOpenL2CAP"),
      ("{\"type\":\"write\",\"characteristicId\":\"\(Meter.controlID)\",\"value\":\"?\"}", "didWriteValue"),
      ("{\"type\":\"setNotify\",\"characteristicId\":\"\(Meter.currentID)\"}", "didUpdateNotification"),
      ("{\"type\":\"discoverServices\",\"id\":\"\(meter)\",\"services\":[\"xyz\"]}", "didDiscoverServices"),
      ("{\"type\":\"l2capWrite\",\"channelId\":\"\(meter):192:9\",\"value\":\"?\"}", "l2capClosed"),
      ("{\"type\":\"setMockConfiguration\",\"configuration\":[]}", "didSetMockConfiguration"),
      ("{\"type\":\"read\",\"characteristicId\":\"\(meter):180F\"}", "didUpdateValue"),
    ]
    for (line, reply) in cases {
      client.send(line)
      let message = try #require(try await client.next())
      #expect(message.type == reply)
    }
    await service.stop()
  }

  @Test func setNotifyWithoutEnabledTellsWhatHolds() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(.setNotify(SetNotify(id: .meter, characteristicId: Meter.currentID, enabled: true)))
    _ = try await client.next("didUpdateNotification")
    client.send(
      "{\"type\":\"setNotify\",\"id\":\"\(PeripheralIdentifier.meter)\",\"characteristicId\":\"\(Meter.currentID)\"}")
    guard case .didUpdateNotification(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.enabled)
    #expect(reply.error != nil)
    await service.stop()
  }

  @Test func valuesPastTheLimitAreRefusedWithoutTheRadio() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .errors)
    let long = [UInt8](repeating: 1, count: 513)
    client.send(
      .write(WriteCharacteristic(id: .meter, characteristicId: Meter.controlID, value: long, writeType: .withResponse)))
    guard case .didWriteValue(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.error == .attribute(0x0D))
    client.send(.writeDescriptor(WriteDescriptor(id: .meter, descriptorId: "\(Meter.currentID):2901:24", value: long)))
    guard case .didWriteDescriptorValue(let second)? = try await client.next() else { return unexpected() }
    #expect(second.error == .attribute(0x0D))
    #expect(!service.radio.commands.contains { if case .write = $0 { true } else { false } })
    await service.stop()
  }

  @Test func aLinePastTheLimitEndsItsClientOnly() async throws {
    let service = try ServiceFixture { $0.limits.channel.line = 1000 }
    let other = try await service.connectedClient()
    let client = try service.client()
    client.hello()
    client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 1001))
    #expect(await client.closes())
    other.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await other.next()?.type == "didReadRSSI")
    await service.stop()
  }

  @Test func aClientThatDiesInTheMiddleOfALineLetsGoOfWhatItHeld() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    client.send(bytes: Array("{\"type\":\"rea".utf8))
    await turns()
    client.close()
    #expect(await eventually { service.radio.commands.contains(.disconnect(.meter)) })
    await service.stop()
  }

  @Test func aClientThatStopsSendingHasItsAnswersAndIsGone() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: [.control])
    client.send(.status(Status()))
    client.finishSending()
    guard case .didReportStatus? = try await client.next() else { return unexpected() }
    #expect(await client.closes())
    #expect(await eventually { service.radio.commands.contains(.disconnect(.meter)) })
    await service.stop()
  }

  @Test func aClientThatNeverReadsIsGivenUpAndOthersAreNotHeldUp() async throws {
    let service = try ServiceFixture { $0.limits.channel.output = 1 << 20 }
    service.radio.devices[.meter]?.values[Meter.current] = .success([UInt8](repeating: 7, count: 512))
    let stuck = try await service.connectedClient()
    let other = try await service.connectedClient(pid: 2)
    stuck.pauseReading()
    let read = ClientMessage.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID))
    for _ in 0..<2000 { stuck.send(read) }
    other.send(read)
    #expect(try await other.next()?.type == "didUpdateValue")
    // The stuck one is told by the end of its connection; the other still holds the device.
    #expect(await eventually { service.server.clientCount == 1 })
    #expect(!service.radio.commands.contains(.disconnect(.meter)))
    other.send(read)
    #expect(try await other.next()?.type == "didUpdateValue")
    stuck.close()
    await service.stop()
  }

  @Test func aStuckClientGetsTheLatestAdvertisementOfEachDevice() async throws {
    let service = try ServiceFixture()
    let client = try service.client()
    client.send(.scan(Scan(allowDuplicates: true)))
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: true))) })
    client.pauseReading()
    let data = AdvertisementData(localName: String(repeating: "n", count: 200))
    for round in 0..<2000 {
      service.radio.advertise(.beacon, data, rssi: -(round % 100), revision: 1)
      if round % 100 == 0 { await turns(1) }
    }
    service.radio.advertise(.beacon, data, rssi: -33, revision: 1)
    client.resumeReading()
    var reports = 0
    var last: Int?
    while case .didDiscover(let report)? = try await client.next(within: .milliseconds(300)) {
      reports += 1
      last = report.rssi
    }
    #expect(reports < 2000)
    #expect(last == -33)
    await service.stop()
  }

  @Test func aThousandSilentConnectionsKeepNobodyOut() async throws {
    let service = try ServiceFixture { $0.limits.sessions = 50 }
    let worker = try await service.connectedClient()
    var silent: [LineClient] = []
    for number in 0..<1000 {
      silent.append(try service.client())
      if number % 50 == 0 { await turns(4) }
      if silent.count > 200 { silent.removeFirst().close() }
    }
    let late = try await service.connectedClient(pid: 2)
    late.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await late.next()?.type == "didReadRSSI")
    worker.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await worker.next()?.type == "didReadRSSI")
    #expect(service.server.clientCount <= 50)
    await service.stop()
  }

  @Test func withoutASilentOneTheNewcomerIsRefused() async throws {
    let service = try ServiceFixture { $0.limits.sessions = 2 }
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    let third = try service.client()
    #expect(await third.closes())
    #expect(!first.isClosed && !second.isClosed)
    await service.stop()
  }
}
