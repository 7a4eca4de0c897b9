import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

/// Channels of a connected peripheral; their streams have tests of their own.
@Suite struct ChannelTests {
  private let id = "\(PeripheralIdentifier.meter):192:1"

  private func open(_ peripheral: CBPeripheral, _ fixture: CentralFixture, id: String? = nil) async throws
    -> CBL2CAPChannel
  {
    peripheral.openL2CAPChannel(192)
    guard case .openL2CAP(let request)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    #expect(request.psm == 192)
    await fixture.provider.send([
      .didOpenL2CAP(DidOpenL2CAP(id: .meter, channelId: id ?? self.id, psm: 192)),
      .l2capData(L2CAPData(channelId: id ?? self.id, value: [1, 2, 3])),
    ])
    return try #require(try await fixture.recorder.next(.didOpenChannel).channel)
  }

  private func read(_ stream: InputStream, _ count: Int) async -> [UInt8] {
    let stream = Held(stream)
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = stream.object.read(&bytes, maxLength: count)
        continuation.resume(returning: Array(bytes.prefix(max(0, length))))
      }
    }
  }

  @Test("L2CAP-1, L2CAP-4, L2CAP-9: A channel is handed over unopened, with what came at once")
  func l2cap1() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let channel = try await open(peripheral, fixture)
    #expect(channel.psm == 192)
    #expect(channel.peer === peripheral)
    #expect(channel.inputStream.streamStatus == .notOpen)
    channel.inputStream.open()
    #expect(await read(channel.inputStream, 10) == [1, 2, 3])
  }

  @Test("L2CAP-1, L2CAP-2, L2CAP-3: A channel that does not open is told with the error")
  func l2cap2() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    peripheral.openL2CAPChannel(0x2349)
    await fixture.provider.send([
      .didOpenL2CAP(DidOpenL2CAP(id: .meter, channelId: "", psm: 0x2349, error: .invalidParameters)),
      .didOpenL2CAP(DidOpenL2CAP(id: .meter, channelId: "", psm: 0)),
    ])
    let event = try await fixture.recorder.next(.didOpenChannel)
    #expect(event.channel == nil)
    #expect((event.error as? CBError)?.code == .invalidParameters)
    #expect((try await fixture.recorder.next(.didOpenChannel).error as? CBError)?.code == .connectionFailed)
    withExtendedLifetime(peripheral) {}
  }

  @Test("L2CAP-5: A channel that nobody keeps is closed; L2CAP-7: and so is one whose streams are")
  func l2cap5and7() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    do { _ = try await open(peripheral, fixture) }
    #expect(await fixture.provider.next() == .l2capClose(L2CAPClose(channelId: id)))
    let channel = try await open(peripheral, fixture)
    channel.inputStream.open()
    channel.outputStream.open()
    channel.inputStream.close()
    channel.outputStream.close()
    #expect(await fixture.provider.next() == .l2capClose(L2CAPClose(channelId: id)))
  }

  @Test("L2CAP-6: The peer's close ends the input, the end of the link fails it")
  func l2cap6() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let first = try await open(peripheral, fixture)
    let second = try await open(peripheral, fixture, id: "\(PeripheralIdentifier.meter):192:2")
    for channel in [first, second] { channel.inputStream.open() }
    await fixture.provider.send([
      .l2capClosed(L2CAPClosed(channelId: id)), Wire.disconnected(.peripheralDisconnected),
    ])
    #expect(try await fixture.eventsSoFar() == [.didDisconnect])
    #expect(await read(first.inputStream, 10) == [1, 2, 3])
    #expect(await read(first.inputStream, 10) == [])
    #expect(first.inputStream.streamStatus == .atEnd)
    _ = await read(second.inputStream, 10)
    #expect(await read(second.inputStream, 10) == [])
    #expect(second.inputStream.streamStatus == .error)
  }

  @Test("L2CAP-8: What is written goes out in pieces that fit, in order")
  func l2cap8() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let channel = try await open(peripheral, fixture)
    channel.outputStream.open()
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(channel.outputStream.write(bytes, maxLength: bytes.count) == bytes.count)
    var sent: [UInt8] = []
    while sent.count < bytes.count {
      guard case .l2capWrite(let write)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
      #expect(write.value.count <= ProtocolLimits.l2capChunkLength)
      sent += write.value
    }
    #expect(sent == bytes)
  }

  @Test("L2CAP-8: An app that does not read holds up its channel and nothing else")
  func l2cap8pause() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let channel = try await open(peripheral, fixture)
    channel.inputStream.open()
    let chunk = [UInt8](repeating: 7, count: 2048)
    for _ in 0..<200 { await fixture.provider.send(.l2capData(L2CAPData(channelId: id, value: chunk))) }
    #expect(await fixture.provider.next() == .l2capPause(L2CAPPause(channelId: id, paused: true)))
    #expect(try await fixture.eventsSoFar() == [])
    while await fixture.provider.hasNothing { _ = await read(channel.inputStream, 64 << 10) }
    #expect(await fixture.provider.next() == .l2capPause(L2CAPPause(channelId: id, paused: false)))
  }

  @Test("L2CAP-8: A channel's bytes come though the delegate's queue is blocked")
  func l2cap8blocked() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let channel = try await open(meter.peripheral, fixture)
    channel.inputStream.open()
    #expect(await read(channel.inputStream, 16) == [1, 2, 3])
    fixture.queue.suspend()
    await fixture.provider.send((0..<2 * CallbackQueue.capacity).map { _ in Wire.value([1]) })
    await fixture.provider.send(.l2capData(L2CAPData(channelId: id, value: [4, 5])))
    #expect(await read(channel.inputStream, 16) == [4, 5])
    fixture.queue.resume()
  }

  @Test("L2CAP-10: Several channels to one PSM are several objects")
  func l2cap10() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let first = try await open(peripheral, fixture)
    let second = try await open(peripheral, fixture, id: "\(PeripheralIdentifier.meter):192:2")
    #expect(first !== second)
  }

  @Test("L2CAP-16: Without a connection no channel is asked for")
  func l2cap16() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    peripheral.openL2CAPChannel(192)
    #expect(await fixture.requestsSoFar() == [])
  }
}

extension ScriptedProvider {
  var hasNothing: Bool { pendingCount == 0 }
}
