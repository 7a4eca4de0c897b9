import BridgeIO
import Glibc
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

/// A pair of packet sockets stands for the two ends of a channel.
@Suite struct L2CAPChannelTests {
  /// The other end, driven by hand.
  @BridgeQueue
  private final class Peer {
    private var descriptor: FileDescriptor?
    init(_ number: CInt) { descriptor = FileDescriptor(owning: number) }
    private var number: CInt { descriptor?.number ?? -1 }

    func send(_ bytes: [UInt8]) -> Int { Glibc.send(number, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = recv(number, &buffer, buffer.count, 0)
      return count < 0 ? nil : Array(buffer.prefix(count))
    }
    func shutdownWriting() { shutdown(number, CInt(SHUT_WR)) }
    func close() { descriptor = nil }
    var isAtEnd: Bool {
      var byte: UInt8 = 0
      return recv(number, &byte, 1, 0) == 0
    }
  }

  /// What the channel's owner hears.
  @BridgeQueue
  private final class Owner {
    var data: [UInt8] = []
    var closes = 0
    var drains = 0
    /// Bytes that the kernel has not sent.
    var unsent = 0
    func listen(to channel: L2CAPChannel) {
      channel.onData = { self.data += $0 }
      channel.onClose = { self.closes += 1 }
      channel.onDrain = { self.drains += 1 }
    }
  }

  @BridgeQueue
  private static func pair(
    sendMTU: Int = 100, lingerLimit: Duration = .seconds(60), unsent: @escaping @BridgeQueue (CInt) -> Int = { _ in 0 }
  ) -> (L2CAPChannel, Peer) {
    var numbers: [CInt] = [0, 0]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &numbers) == 0)
    let channel = L2CAPChannel(
      FileDescriptor(owning: numbers[0]), psm: 0x80, sendMTU: sendMTU, receiveMTU: 8192, unsent: unsent,
      lingerLimit: lingerLimit)
    return (channel, Peer(numbers[1]))
  }

  @Test @BridgeQueue func `bytes go out in packets of the peer's MTU`() {
    let (channel, peer) = Self.pair()
    let bytes = (0..<250).map { UInt8($0) }
    channel.send(bytes)
    #expect(channel.queuedBytes == 0)
    #expect([peer.receive(), peer.receive(), peer.receive()].map { $0?.count } == [100, 100, 50])
  }

  @Test @BridgeQueue func `packets come in as one stream`() async {
    let (channel, peer) = Self.pair()
    let owner = Owner()
    owner.listen(to: channel)
    for byte in 0..<10 { #expect(peer.send([UInt8](repeating: UInt8(byte), count: 700)) == 700) }
    #expect(await eventually { owner.data.count == 7000 })
    #expect(owner.data == (0..<10).flatMap { [UInt8](repeating: UInt8($0), count: 700) })
  }

  @Test @BridgeQueue func `what arrives before anyone listens is kept, and so is the news of the end`() async {
    let (channel, peer) = Self.pair()
    #expect(peer.send([1, 2, 3]) == 3)
    peer.close()
    await turns()
    let owner = Owner()
    owner.listen(to: channel)
    #expect(owner.data.isEmpty)
    #expect(await eventually { owner.closes == 1 })
    #expect(owner.data == [1, 2, 3])
  }

  @Test @BridgeQueue func `paused reading keeps bytes and end until resumed`() async {
    let (channel, peer) = Self.pair()
    let owner = Owner()
    owner.listen(to: channel)
    channel.setReadingPaused(true)
    #expect(peer.send([1]) == 1)
    #expect(peer.send([2]) == 1)
    peer.close()
    await turns(5)
    #expect(owner.data.isEmpty && owner.closes == 0)
    channel.setReadingPaused(false)
    #expect(await eventually { owner.closes == 1 })
    #expect(owner.data == [1, 2])
  }

  @Test @BridgeQueue func `a peer that only stops sending has closed`() async {
    let (channel, peer) = Self.pair()
    let owner = Owner()
    owner.listen(to: channel)
    #expect(peer.send([9]) == 1)
    peer.shutdownWriting()
    #expect(await eventually { owner.closes == 1 })
    #expect(owner.data == [9])
    channel.send([1])
    #expect(channel.queuedBytes == 0)
  }

  @Test @BridgeQueue func `a packet without bytes is no end`() async {
    let (channel, peer) = Self.pair()
    let owner = Owner()
    owner.listen(to: channel)
    #expect(peer.send([]) == 0)
    #expect(peer.send([5]) == 1)
    #expect(await eventually { owner.data == [5] })
    #expect(owner.closes == 0)
  }

  @Test @BridgeQueue func `a megabyte under back-pressure arrives whole and in order, and drain is told once`() async {
    let (channel, peer) = Self.pair(sendMTU: 1000)
    let owner = Owner()
    owner.listen(to: channel)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for start in stride(from: 0, to: bytes.count, by: 777) {
      channel.send(Array(bytes[start..<min(start + 777, bytes.count)]))
    }
    #expect(channel.queuedBytes > 0)
    var received: [UInt8] = []
    #expect(
      await eventually(within: .seconds(30)) {
        while let packet = peer.receive() { received += packet }
        return received.count >= bytes.count
      })
    #expect(received == bytes)
    #expect(await eventually { owner.drains > 0 })
    #expect(owner.drains == 1 && channel.queuedBytes == 0)
  }

  @Test @BridgeQueue func `closing sends what is queued and then ends the channel, and calls nobody`() async {
    let (channel, peer) = Self.pair(sendMTU: 1000)
    let owner = Owner()
    owner.listen(to: channel)
    let bytes = [UInt8](repeating: 7, count: 600_000)
    channel.send(bytes)
    #expect(channel.queuedBytes > 0)
    channel.close()
    var count = 0
    #expect(
      await eventually(within: .seconds(30)) {
        while let packet = peer.receive(), !packet.isEmpty { count += packet.count }
        return count == bytes.count
      })
    #expect(await eventually { peer.isAtEnd })
    #expect(owner.closes == 0 && owner.drains == 0)
  }

  @Test @BridgeQueue func `closing gives up after a second on a peer that takes nothing`() async {
    let (channel, peer) = Self.pair(sendMTU: 1000, lingerLimit: .seconds(1))
    channel.send([UInt8](repeating: 7, count: 600_000))
    let start = ContinuousClock.now
    channel.close()
    #expect(await eventually(within: .seconds(10)) { channel.queuedBytes == 0 })
    #expect(ContinuousClock.now - start > .milliseconds(900))
    _ = peer
  }

  @Test @BridgeQueue func `closing waits for what the kernel has not sent`() async {
    let kernel = Owner()
    kernel.unsent = 10
    let (channel, peer) = Self.pair(unsent: { _ in kernel.unsent })
    channel.send([1])
    channel.close()
    #expect(peer.receive() == [1])
    await turns(5)
    #expect(!peer.isAtEnd)
    kernel.unsent = 0
    #expect(await eventually { peer.isAtEnd })
  }

  @Test @BridgeQueue func `closing from within onData ends at once`() async {
    let (channel, peer) = Self.pair()
    var heard = 0
    channel.onClose = { Issue.record("closed by ourselves") }
    channel.onData = { [weak channel] _ in
      heard += 1
      channel?.close()
    }
    #expect(peer.send([1]) == 1)
    #expect(await eventually { heard == 1 })
    #expect(await eventually { peer.isAtEnd })
  }

  @Test @BridgeQueue func `a channel that nobody keeps is closed`() async {
    var (channel, peer): (L2CAPChannel?, Peer) = Self.pair()
    #expect(channel != nil)
    channel = nil
    #expect(await eventually { peer.isAtEnd })
  }
}
