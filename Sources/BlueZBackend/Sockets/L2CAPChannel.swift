import BridgeIO
import Glibc
import Radio

/// An open channel over a packet socket: SDU borders are lost in both directions, bytes are not.
///
/// Nothing is read while nobody listens or reading is paused; the kernel then keeps the peer short of credits.
@BridgeQueue
final class L2CAPChannel: RadioL2CAPChannel {
  let psm: UInt16
  private let sendMTU: Int
  private let receiveMTU: Int
  /// Bytes that the kernel has taken and the radio has not.
  private let unsent: @BridgeQueue (CInt) -> Int
  /// How long a closed channel may still send.
  private let lingerLimit: Duration

  private var descriptor: FileDescriptor?
  private var number: CInt
  private var watch: DescriptorWatch?
  private var isPaused = false
  private var isClosed = false
  /// The peer is gone: nothing more can be sent, and what it sent before is still to be read.
  private var isHungUp = false
  private var outgoing = ByteQueue()
  private var linger: QueueTimer?
  private var lingerDeadline = ContinuousClock.Instant.now

  /// So much is handed over at once, so that one busy channel leaves others their turns.
  private static let readBatch = 1 << 16
  private static let lingerStep = Duration.milliseconds(10)

  var onData: (@BridgeQueue ([UInt8]) -> Void)? {
    didSet { if (onData == nil) != (oldValue == nil) { readinessChanged() } }
  }
  var onClose: (@BridgeQueue () -> Void)?
  var onDrain: (@BridgeQueue () -> Void)?

  /// - Parameters:
  ///   - descriptor: a connected non-blocking SOCK_SEQPACKET socket.
  ///   - sendMTU: the longest packet that it takes.
  ///   - receiveMTU: the longest that it delivers; of a longer one the rest would be lost.
  init(
    _ descriptor: consuming FileDescriptor, psm: UInt16, sendMTU: Int, receiveMTU: Int,
    unsent: @escaping @BridgeQueue (CInt) -> Int = { _ in 0 }, lingerLimit: Duration = .seconds(1)
  ) {
    self.lingerLimit = lingerLimit
    number = descriptor.number
    self.descriptor = consume descriptor
    self.psm = psm
    self.sendMTU = max(1, sendMTU)
    self.receiveMTU = receiveMTU
    self.unsent = unsent
    watch = DescriptorWatch(number, for: []) { [weak self] in self?.ready($0) }
  }

  isolated deinit { watch?.cancel() }

  // MARK: Reading

  func setReadingPaused(_ paused: Bool) {
    guard isPaused != paused else { return }
    isPaused = paused
    readinessChanged()
  }

  private var mayRead: Bool { !isPaused && !isClosed && onData != nil }

  private func readinessChanged() {
    updateInterest()
    // No watch is left to say so.
    if isHungUp, mayRead { BridgeQueue.atEndOfTurn { self.readAll() } }
  }

  private func updateInterest() {
    var interest: Interest = []
    if mayRead { interest.insert(.reading) }
    if !outgoing.isEmpty { interest.insert(.writing) }
    watch?.interest = interest
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writing) { flush() }
    if !readiness.isDisjoint(with: [.hangUp, .error]) { return hungUp() }
    if readiness.contains(.reading), mayRead { readOnce() }
  }

  /// A hang-up is reported again and again, paused or not: the watch has done its duty.
  private func hungUp() {
    isHungUp = true
    watch?.cancel()
    watch = nil
    dropOutgoing()
    if isClosed { return release() }
    readAll()
  }

  private func readAll() {
    while mayRead, isHungUp {
      guard readOnce() else { return }
    }
  }

  /// - Returns: false at the end of what there is.
  @discardableResult
  private func readOnce() -> Bool {
    var batch: [UInt8] = []
    let end = withUnsafeTemporaryAllocation(byteCount: receiveMTU, alignment: 8) { receive(into: &batch, by: $0) }
    if !batch.isEmpty { onData?(batch) }
    if end { peerClosed() }
    return !end
  }

  /// - Returns: whether the channel has ended and nothing is left to be read.
  private func receive(into batch: inout [UInt8], by buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var hasFailed = false
    while batch.count < Self.readBatch {
      let count = recv(number, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        batch.append(contentsOf: UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
      } else if count == 0 {
        // Or an SDU of no bytes.
        if isEndOfStream { return true }
      } else if errno == EAGAIN {
        return isHungUp
      } else if errno != EINTR {
        // The socket's error is told once, before the packets that came ahead of it.
        if hasFailed { return true }
        hasFailed = true
      }
    }
    return false
  }

  private var isEndOfStream: Bool {
    if isHungUp { return true }
    // POLLRDHUP, which glibc shows with _GNU_SOURCE only.
    var state = pollfd(fd: number, events: 0x2000, revents: 0)
    return poll(&state, 1, 0) > 0
  }

  private func peerClosed() {
    guard !isClosed else { return }
    isClosed = true
    dropOutgoing()
    release()
    let onClose = onClose
    forgetHandlers()
    onClose?()
  }

  // MARK: Writing

  var queuedBytes: Int { outgoing.count }

  func send(_ bytes: [UInt8]) {
    guard !isClosed, !isHungUp, !bytes.isEmpty else { return }
    let wasEmpty = outgoing.isEmpty
    outgoing.append(bytes)
    if wasEmpty { sendQueued() }
    updateInterest()
  }

  private func flush() {
    guard !outgoing.isEmpty else { return }
    sendQueued()
    updateInterest()
    guard outgoing.isEmpty else { return }
    if !isClosed { onDrain?() }
  }

  private func sendQueued() {
    while !outgoing.isEmpty {
      let sent = outgoing.withFirst(sendMTU) {
        Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if sent > 0 {
        outgoing.removeFirst(sent)
      } else if errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM {
        return
      } else if errno != EINTR {
        // The channel is gone; that is told when what came before is read.
        return dropOutgoing()
      }
    }
  }

  private func dropOutgoing() { outgoing.removeAll() }

  // MARK: Closing

  func close() {
    guard !isClosed else { return }
    isClosed = true
    forgetHandlers()
    updateInterest()
    lingerDeadline = .now + lingerLimit
    lingerOrRelease()
  }

  /// Waits until all is sent, looking now and then: the kernel does not tell when it has sent the last of it.
  private func lingerOrRelease() {
    guard descriptor != nil else { return }
    if isHungUp || .now >= lingerDeadline || (outgoing.isEmpty && unsent(number) == 0) { return release() }
    linger = QueueTimer(after: Self.lingerStep) { self.lingerOrRelease() }
  }

  private func release() {
    linger?.cancel()
    linger = nil
    watch?.cancel()
    watch = nil
    descriptor = nil
    dropOutgoing()
  }

  private func forgetHandlers() {
    onData = nil
    onClose = nil
    onDrain = nil
  }
}

/// Bytes in the order they came, taken off in pieces of any size.
private struct ByteQueue {
  private var pieces: [[UInt8]] = []
  /// Bytes of the first piece that are gone.
  private var offset = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Small pieces are joined, so that they go out in full packets.
  mutating func append(_ bytes: [UInt8]) {
    count += bytes.count
    if pieces.count > 1, pieces[pieces.count - 1].count + bytes.count <= 4096 {
      pieces[pieces.count - 1] += bytes
    } else {
      pieces.append(bytes)
    }
  }

  /// The first bytes, no more than `limit`.
  func withFirst<Result>(_ limit: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    pieces[0].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset..<min(offset + limit, $0.count)])) }
  }

  mutating func removeFirst(_ bytes: Int) {
    count -= bytes
    offset += bytes
    if offset == pieces[0].count {
      pieces.removeFirst()
      offset = 0
    }
  }

  mutating func removeAll() { self = ByteQueue() }
}
