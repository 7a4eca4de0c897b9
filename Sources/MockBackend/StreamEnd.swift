import BridgeIO
import BridgeProtocol

/// Plays a recorded byte stream, in chunks at an interval, and swallows what comes.
@BridgeQueue
final class StreamEnd {
  private let channel: VirtualChannel
  private let stream: MockL2CAPService
  private var position = 0

  private init(_ channel: VirtualChannel, _ stream: MockL2CAPService) {
    self.channel = channel
    self.stream = stream
  }

  static func serve(_ channel: VirtualChannel, _ stream: MockL2CAPService) {
    let end = StreamEnd(channel, stream)
    channel.onData = { _ in }
    // The channel keeps the stream alive, and the other way round, until it is closed.
    channel.onClose = { _ = end }
    channel.onDrain = { end.wait() }
    // Behind the answer that there is a channel.
    BridgeQueue.async { end.proceed() }
  }

  private func proceed() {
    guard !channel.isClosed else { return }
    let chunk = stream.chunk > 0 ? stream.chunk : stream.data.count
    guard position < stream.data.count else {
      if stream.closesAtEnd { channel.close() }
      return
    }
    let end = min(position + chunk, stream.data.count)
    channel.send(Array(stream.data[position..<end]))
    position = end
    // If it is not all taken, the drain goes on.
    if channel.queuedBytes == 0 { wait() }
  }

  private func wait() {
    guard stream.interval > 0 else { return BridgeQueue.async { self.proceed() } }
    QueueTimer(after: .milliseconds(stream.interval)) { [weak self] in self?.proceed() }
  }
}
