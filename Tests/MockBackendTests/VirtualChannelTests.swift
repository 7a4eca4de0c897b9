import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

@testable import MockBackend

@Suite @BridgeQueue struct VirtualChannelTests {
  private func world(_ services: [MockL2CAPService], pairing: MockPairingMode = .none) async -> VirtualWorld {
    let world = VirtualWorld(.bench(pairing: pairing) { $0.l2cap = services })
    await world.connect(.bench)
    return world
  }

  /// What comes until `count` bytes are there or the channel is closed.
  private func receive(_ count: Int, from channel: any RadioL2CAPChannel) async -> [UInt8] {
    var received: [UInt8] = []
    var isClosed = false
    channel.onClose = { isClosed = true }
    channel.onData = { received += $0 }
    _ = await eventually { received.count >= count || isClosed }
    return received
  }

  @Test("L2CAP-2, L2CAP-3: no such PSM, no channel")
  func refused() async {
    let world = await world([MockL2CAPService(psm: 0x80, kind: .echo)])
    #expect(await world.open(psm: 0x81, .bench).error == .connectionFailed)
    #expect(await world.open(psm: 0x2349, .bench).error == .invalidParameters)
    #expect(await world.open(psm: 0, .bench).error == .invalidParameters)
    #expect(await world.open(psm: 0x80, .other).error == .notConnected)
  }

  @Test("L2CAP-8, L2CAP-10: an echo gives every byte back, on each channel its own")
  func echo() async throws {
    let world = await world([MockL2CAPService(psm: 0x80, kind: .echo)])
    let one = try await world.open(psm: 0x80, .bench).get()
    let other = try await world.open(psm: 0x80, .bench).get()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    for start in stride(from: 0, to: bytes.count, by: 2048) {
      one.send(Array(bytes[start..<min(start + 2048, bytes.count)]))
    }
    other.send([1, 2])
    #expect(await receive(bytes.count, from: one) == bytes)
    #expect(await receive(2, from: other) == [1, 2])
    #expect(one.queuedBytes == 0)
  }

  @Test func aChannelThatIsNotReadHoldsItsPeerBack() async throws {
    let world = await world([MockL2CAPService(psm: 0x80, kind: .echo)])
    let channel = try await world.open(psm: 0x80, .bench).get()
    for _ in 0..<1000 { channel.send([UInt8](repeating: 7, count: 1000)) }
    await turns(20)
    // A window each way, and what is in the echo's hand.
    #expect(channel.queuedBytes > 800_000)
    var drained = false
    channel.onDrain = { drained = true }
    #expect(await receive(1_000_000, from: channel).count == 1_000_000)
    #expect(drained && channel.queuedBytes == 0)
  }

  @Test("L2CAP-6: what the device closes ends after the last byte")
  func stream() async throws {
    var stream = MockL2CAPService(psm: 0x81, kind: .stream)
    stream.data = (0..<100).map { UInt8($0) }
    stream.chunk = 30
    stream.interval = 1
    stream.closesAtEnd = true
    let world = await world([stream])
    let channel = try await world.open(psm: 0x81, .bench).get()
    var isClosed = false
    var received: [UInt8] = []
    channel.onClose = { isClosed = true }
    channel.onData = { received += $0 }
    #expect(await eventually { isClosed })
    #expect(received == stream.data)
  }

  @Test func theBytesOfASocketGoBothWays() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("peer")
    var peers: [LineChannel] = []
    let listener = try Listener(at: SocketPath(path), permissions: .init()) { peers.append(LineChannel($0)) }
    var service = MockL2CAPService(psm: 0x82, kind: .socket)
    service.path = path
    let world = await world([service])
    let channel = try await world.open(psm: 0x82, .bench).get()
    channel.send(Array("hello\n".utf8))
    #expect(await eventually { peers.count == 1 })
    var lines: [[UInt8]] = []
    peers[0].onLine = { lines.append(Array($0)) }
    #expect(await eventually { !lines.isEmpty })
    #expect(lines == [Array("hello".utf8)])
    peers[0].send(Array("back".utf8))
    #expect(await receive(4, from: channel) == Array("back".utf8))
    var isClosed = false
    channel.onClose = { isClosed = true }
    peers[0].close()
    #expect(await eventually { isClosed })
    listener.close()
    #expect(await world.open(psm: 0x82, .bench).error?.code == BluetoothError.connectionFailed.code)
  }

  @Test func aSocketThatIsNeverReadIsNotKeptForEver() async throws {
    let folder = TemporaryFolder()
    var peers: [LineChannel] = []
    var isClosed = false
    let listener = try Listener(at: SocketPath(folder.file("peer")), permissions: .init()) {
      let peer = LineChannel($0)
      peer.pauseReading()
      peer.onEnd = { _ in isClosed = true }
      peers.append(peer)
    }
    let (central, own) = VirtualChannel.pair(psm: 0x82)
    try SocketEnd.serve(own, path: folder.file("peer"), linger: .milliseconds(20))
    let line = [UInt8](repeating: 0x61, count: 999) + [0x0A]
    for _ in 0..<4000 { central.send(line) }
    central.close()
    #expect(await eventually { isClosed })
    #expect(peers.count == 1)
    listener.close()
  }

  @Test func channelsEndWhereTheDeviceListensNoMore() async throws {
    let world = await world([80, 81].map { MockL2CAPService(psm: $0, kind: .echo) })
    var closed: [UInt16] = []
    for psm in [80, 81] as [UInt16] {
      let channel = try await world.open(psm: psm, .bench).get()
      channel.onClose = { closed.append(psm) }
      channel.onData = { _ in }
    }
    world.radio.configuration.devices[0].l2cap.removeFirst()
    #expect(await eventually { !closed.isEmpty })
    #expect(closed == [80])
  }

  @Test("L2CAP-6: channels end with the link")
  func linkEnds() async throws {
    let world = await world([MockL2CAPService(psm: 0x80, kind: .echo)])
    let channel = try await world.open(psm: 0x80, .bench).get()
    var isClosed = false
    channel.onClose = { isClosed = true }
    channel.onData = { _ in }
    world.radio.dropLink(of: .bench)
    #expect(await eventually { isClosed })
  }

  @Test("PAIR-4, L2CAP-14: a channel that needs encryption pairs, or fails")
  func security() async {
    var service = MockL2CAPService(psm: 0x80, kind: .echo)
    service.security = .encryption
    #expect(await world([service]).open(psm: 0x80, .bench).error == .attribute(0x0F))
    #expect(await world([service], pairing: .justWorks).open(psm: 0x80, .bench).error == nil)
  }
}
