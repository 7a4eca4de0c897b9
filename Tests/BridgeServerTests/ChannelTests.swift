import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// L2CAP channels of clients.
@Suite @BridgeQueue struct ChannelTests {
  private func open(_ psm: UInt16 = 192) -> ClientMessage { .openL2CAP(OpenL2CAP(id: .meter, psm: psm)) }

  private func opened(_ client: LineClient) async throws -> DidOpenL2CAP? {
    guard case .didOpenL2CAP(let reply)? = try await client.next() else { return nil }
    return reply
  }

  @Test func equalRequestsArePooledWhileTheChannelOpensAndAllAnswered() async throws {
    let service = try ServiceFixture()
    var completions: [UInt16: RadioCompletion<any RadioL2CAPChannel>] = [:]
    service.radio.onOpenL2CAP = { completions[$0] = $1 }
    let client = try await service.connectedClient(features: .control)
    client.send(open())
    client.send(open())
    client.send(open(193))
    _ = try await client.messagesUntilStatus()
    completions[192]?(.success(ScriptedChannel(psm: 192)))
    completions[193]?(.success(ScriptedChannel(psm: 193)))
    let first = try #require(try await opened(client))
    let second = try #require(try await opened(client))
    let third = try #require(try await opened(client))
    #expect(first == second)
    #expect(first.channelId.hasPrefix("\(PeripheralIdentifier.meter):192:"))
    #expect(third.psm == 193 && third.channelId != first.channelId)
    #expect(service.radio.commands.filter { $0 == .openL2CAPChannel(192) }.count == 1)
    // Another one later is another channel.
    client.send(open())
    _ = try await client.messagesUntilStatus()
    completions[192]?(.success(ScriptedChannel(psm: 192)))
    #expect(try await opened(client)?.channelId != first.channelId)
    await service.stop()
  }

  @Test func aChannelThatOpensTooLateIsClosed() async throws {
    let service = try ServiceFixture { $0.limits.channelOpening = .milliseconds(20) }
    var completion: RadioCompletion<any RadioL2CAPChannel>?
    service.radio.onOpenL2CAP = { completion = $1 }
    let client = try await service.connectedClient()
    client.send(open())
    let reply = try #require(try await opened(client))
    #expect(reply.error?.text == "Timeout opening L2CAP channel")
    #expect(reply.psm == 192 && reply.channelId == "")
    let channel = ScriptedChannel(psm: 192)
    completion?(.success(channel))
    #expect(channel.isClosed)
    await service.stop()
  }

  @Test func cancellingAnswersWhatIsBeingOpenedAndClosesWhatIsOpen() async throws {
    let service = try ServiceFixture()
    let channel = ScriptedChannel(psm: 192)
    service.radio.onOpenL2CAP = { psm, completion in
      if psm == 192 { BridgeQueue.async { completion(.success(channel)) } }
    }
    let client = try await service.connectedClient()
    client.send(open())
    _ = try await opened(client)
    client.send(open(130))
    client.send(.cancel(Cancel(id: .meter)))
    #expect(try await opened(client)?.psm == 130)
    #expect(try await client.next()?.type == "l2capClosed")
    #expect(try await client.next()?.type == "didDisconnect")
    #expect(channel.isClosed)
    await service.stop()
  }

  @Test func whatIsNoChannelOfALinkIsRefused() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    for psm: UInt16 in [0, 0x2349] {
      client.send(open(psm))
      #expect(try await opened(client)?.error != nil)
    }
    client.send(.openL2CAP(OpenL2CAP(id: .stranger, psm: 192)))
    #expect(try await opened(client)?.error?.text == "Not connected")
    #expect(!service.radio.commands.contains { if case .openL2CAPChannel = $0 { true } else { false } })
    await service.stop()
  }

  /// Opens a channel and gives its two ends.
  private func channel(_ service: ServiceFixture, _ client: LineClient) async throws -> (ScriptedChannel, String) {
    let channel = ScriptedChannel(psm: 192)
    service.radio.onOpenL2CAP = { _, completion in BridgeQueue.async { completion(.success(channel)) } }
    client.send(open())
    return (channel, try #require(try await opened(client)).channelId)
  }

  @Test func dataComesInPiecesThatTheClientsBufferHolds() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    let (channel, id) = try await channel(service, client)
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    channel.receive(bytes)
    var received: [UInt8] = []
    for length in [2048, 2048, 904] {
      guard case .l2capData(let data)? = try await client.next() else { return unexpected() }
      #expect(data.value.count == length && data.channelId == id)
      received += data.value
    }
    #expect(received == bytes)
    await service.stop()
  }

  @Test func aClientThatDoesNotReadStopsTheDeviceNotItself() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    let (channel, _) = try await channel(service, client)
    client.pauseReading()
    for _ in 0..<600 {
      channel.receive([UInt8](repeating: 5, count: 2048))
      await turns(1)
    }
    #expect(channel.isReadingPaused)
    #expect(!client.isClosed)
    client.resumeReading()
    var total = 0
    while total < 600 * 2048, case .l2capData(let data)? = try await client.next() { total += data.value.count }
    #expect(total == 600 * 2048)
    await service.stop()
  }

  @Test func aDeviceThatTakesNothingStopsTheClient() async throws {
    let service = try ServiceFixture { $0.limits.deviceQueue = 10_000 }
    let client = try await service.connectedClient()
    let (channel, id) = try await channel(service, client)
    channel.isStuck = true
    for number in 0..<20 {
      client.send(.l2capWrite(L2CAPWrite(channelId: id, value: [UInt8](repeating: UInt8(number), count: 2048))))
    }
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(await eventually { channel.sent.count == 5 * 2048 })
    await turns(20)
    #expect(channel.sent.count == 5 * 2048 && client.pendingLines == 0)
    channel.drain()
    #expect(try await client.next()?.type == "didReadRSSI")
    #expect(channel.sent == (0..<20).flatMap { [UInt8](repeating: UInt8($0), count: 2048) })
    await service.stop()
  }

  @Test func aWriteThatCannotBeReadClosesItsChannel() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    let (channel, id) = try await channel(service, client)
    client.send("{\"type\":\"l2capWrite\",\"channelId\":\"\(id)\",\"value\":\"not base64\"}")
    guard case .l2capClosed(let closed)? = try await client.next() else { return unexpected() }
    #expect(closed.channelId == id)
    #expect(channel.isClosed)
    await service.stop()
  }

  @Test func channelsGoWithTheirClient() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    let (channel, _) = try await channel(service, client)
    client.close()
    #expect(await eventually { channel.isClosed })
    await service.stop()
  }
}
