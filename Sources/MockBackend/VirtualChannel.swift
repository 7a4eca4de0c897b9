public import BridgeIO
public import Radio

/// One end of a virtual L2CAP channel: what one sends the other gets, each only as fast as the other takes it.
@BridgeQueue
public final class VirtualChannel: RadioL2CAPChannel {
  public let psm: UInt16
  public var onData: (@BridgeQueue ([UInt8]) -> Void)? { didSet { schedule() } }
  public var onClose: (@BridgeQueue () -> Void)?
  public var onDrain: (@BridgeQueue () -> Void)?
  /// The other end sends no more. What it has sent may still wait to be read; `onClose` follows when it is.
  var onPeerClose: (@BridgeQueue () -> Void)?
  /// Bytes that this end sent and the other has no room for.
  public private(set) var queuedBytes = 0
  public private(set) var isClosed = false

  private var peer: VirtualChannel?
  private var outgoing: [[UInt8]] = []
  private var incoming: [[UInt8]] = []
  private var incomingCount = 0
  private var isPaused = false
  private var isPeerGone = false
  private var isScheduled = false
  private let window: Int

  private init(psm: UInt16, window: Int) {
    self.psm = psm
    self.window = window
  }

  /// Two ends of one channel.
  ///
  /// - Parameter window: bytes that an end takes before its user does: the credits that it gives.
  public static func pair(psm: UInt16, window: Int = 1 << 16) -> (central: VirtualChannel, peripheral: VirtualChannel) {
    let one = VirtualChannel(psm: psm, window: window)
    let other = VirtualChannel(psm: psm, window: window)
    one.peer = other
    other.peer = one
    return (one, other)
  }

  // MARK: Sending

  public func send(_ bytes: [UInt8]) {
    guard !isClosed, !isPeerGone, let peer, !bytes.isEmpty else { return }
    if queuedBytes == 0, peer.hasRoom { return peer.take(bytes) }
    outgoing.append(bytes)
    queuedBytes += bytes.count
  }

  /// The other end has room again.
  private func flush() {
    guard queuedBytes > 0, let peer else { return }
    var sent = 0
    while sent < outgoing.count, peer.hasRoom {
      queuedBytes -= outgoing[sent].count
      peer.take(outgoing[sent])
      sent += 1
    }
    outgoing.removeFirst(sent)
    if queuedBytes == 0, !isClosed { onDrain?() }
  }

  // MARK: Receiving

  private var hasRoom: Bool { incomingCount < window }

  private func take(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    incoming.append(bytes)
    incomingCount += bytes.count
    schedule()
  }

  public func setReadingPaused(_ paused: Bool) {
    isPaused = paused
    schedule()
  }

  private var mayRead: Bool { !isPaused && !isClosed && onData != nil }

  private func schedule() {
    guard !isScheduled, mayRead, !incoming.isEmpty || isPeerGone else { return }
    isScheduled = true
    BridgeQueue.atEndOfTurn { self.deliver() }
  }

  private func deliver() {
    isScheduled = false
    let batch = incoming
    incoming = []
    var next = 0
    while next < batch.count, mayRead, let onData {
      incomingCount -= batch[next].count
      onData(batch[next])
      next += 1
    }
    if isClosed { return }
    incoming.insert(contentsOf: batch[next...], at: 0)
    peer?.flush()
    if incoming.isEmpty, isPeerGone, mayRead { hungUp() }
  }

  private func hungUp() {
    let onClose = onClose
    release()
    onClose?()
  }

  // MARK: Closing

  /// What is queued still reaches the other end.
  public func close() {
    guard !isClosed else { return }
    if let peer {
      for bytes in outgoing { peer.take(bytes) }
      peer.peerClosed()
    }
    release()
  }

  /// The link is gone: both ends hear of it once they have read what came before.
  func abort() {
    let peer = peer
    peer?.peerClosed()
    peerClosed()
  }

  private func peerClosed() {
    guard !isClosed, !isPeerGone else { return }
    isPeerGone = true
    outgoing = []
    queuedBytes = 0
    peer = nil
    schedule()
    onPeerClose?()
  }

  private func release() {
    isClosed = true
    incoming = []
    outgoing = []
    queuedBytes = 0
    peer = nil
    (onData, onClose, onDrain, onPeerClose) = (nil, nil, nil, nil)
  }
}
