import BridgeIO

/// Sends back what comes, no faster than it is taken.
@BridgeQueue
enum EchoEnd {
  static func serve(_ channel: VirtualChannel) {
    channel.onDrain = { [weak channel] in channel?.setReadingPaused(false) }
    channel.onData = { [weak channel] bytes in
      channel?.send(bytes)
      if let channel, channel.queuedBytes > 0 { channel.setReadingPaused(true) }
    }
  }
}
