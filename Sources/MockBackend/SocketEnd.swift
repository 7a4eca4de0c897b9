import BridgeIO
import BridgeProtocol
import Glibc

/// Joins a channel to a Unix socket of this machine: a connection for each channel.
@BridgeQueue
final class SocketEnd {
  private let channel: VirtualChannel
  private var descriptor: FileDescriptor?
  private let number: CInt
  private var watch: DescriptorWatch?
  private var outgoing: [[UInt8]] = []
  /// Bytes of the first piece that are written.
  private var offset = 0
  private var isClosing = false

  private static let pieceLength = 1 << 14

  private init(_ channel: VirtualChannel, _ descriptor: consuming FileDescriptor) {
    self.channel = channel
    number = descriptor.number
    self.descriptor = consume descriptor
  }

  /// - Parameter linger: how long the peer may take for what is left when the channel is closed.
  /// - Throws: when nobody listens there, or too many are waiting.
  static func serve(
    _ channel: VirtualChannel, path: String, linger: Duration = .seconds(10)
  ) throws(SocketError) {
    let end = SocketEnd(channel, try UnixSocket.connectAtOnce(to: SocketPath(path)))
    // The watch and the channel keep it alive until one side closes.
    end.watch = DescriptorWatch(end.number, for: .reading) { end.ready($0) }
    channel.onData = { end.write($0) }
    channel.onClose = { end.channelClosed() }
    channel.onDrain = { end.updateInterest() }
    channel.onPeerClose = { QueueTimer(after: linger) { [weak end] in end?.giveUp() } }
  }

  private func updateInterest() {
    var interest: Interest = []
    if channel.queuedBytes == 0 { interest.insert(.reading) }
    if !outgoing.isEmpty { interest.insert(.writing) }
    watch?.interest = interest
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writing) { flush() }
    if readiness.contains(.reading) || !readiness.isDisjoint(with: [.hangUp, .error]) { read() }
  }

  // MARK: From the socket

  private func read() {
    guard descriptor != nil else { return }
    let (bytes, hasEnded) = receive()
    if !bytes.isEmpty { channel.send(bytes) }
    if hasEnded {
      channel.close()
      release()
    } else {
      updateInterest()
    }
  }

  private func receive() -> (bytes: [UInt8], hasEnded: Bool) {
    var hasEnded = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceLength) { buffer, count in
      let result = recv(number, buffer.baseAddress, buffer.count, 0)
      count = max(0, result)
      hasEnded = result == 0 || result < 0 && errno != EAGAIN && errno != EINTR
    }
    return (bytes, hasEnded)
  }

  // MARK: To the socket

  private func write(_ bytes: [UInt8]) {
    guard descriptor != nil else { return }
    outgoing.append(bytes)
    flush()
  }

  private func flush() {
    while let first = outgoing.first {
      let sent = first.withUnsafeBytes {
        send(number, $0.baseAddress?.advanced(by: offset), $0.count - offset, CInt(MSG_NOSIGNAL))
      }
      if sent < 0 {
        if errno == EINTR { continue }
        // An error other than a full buffer shows at reading too.
        if errno != EAGAIN { outgoing = [] }
        break
      }
      offset += sent
      guard offset == first.count else { continue }
      outgoing.removeFirst()
      offset = 0
    }
    if isClosing { return outgoing.isEmpty ? release() : () }
    channel.setReadingPaused(!outgoing.isEmpty)
    updateInterest()
  }

  // MARK: The end

  /// What is left is written first.
  private func channelClosed() {
    isClosing = true
    if outgoing.isEmpty { release() } else { watch?.interest = .writing }
  }

  /// The peer does not take what is left.
  private func giveUp() {
    channel.close()
    release()
  }

  private func release() {
    watch?.cancel()
    watch = nil
    descriptor = nil
    outgoing = []
  }
}
