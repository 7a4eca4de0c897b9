import Glibc

/// One connected socket that carries lines: reads in turns, gathers what is sent and writes it once at the end of the
/// turn, and bounds what a slow reader makes it keep.
@BridgeQueue
public final class LineChannel {
  public struct Limits: Sendable {
    /// Bytes of one received line.
    public var line = 8 << 20
    /// Bytes waiting for a peer that does not read; more ends the channel.
    public var output = 16 << 20
    /// Bytes waiting above which the channel is congested.
    public var congestion = 64 << 10
    /// How long a channel that is closed may go on sending what waits.
    public var closingTime = Duration.seconds(2)
    public init() {}
  }

  /// Why a channel ended by itself.
  public enum End: Hashable, Sendable {
    case endOfFile
    case failed(SystemError)
    case lineTooLong(LineTooLong)
    case outputFull(limit: Int)
  }

  /// Called for each line; the bytes are valid during the call.
  public var onLine: (@BridgeQueue (UnsafeBufferPointer<UInt8>) -> Void)?
  /// Called once, when the channel ends by itself; not after `close`.
  public var onEnd: (@BridgeQueue (End) -> Void)?
  /// Sees what is sent, whole lines with their ends, in order; the bytes are valid during the call.
  public var onSend: (@BridgeQueue (UnsafeBufferPointer<UInt8>) -> Void)?
  /// Called when the channel is no longer congested.
  public var onDrain: (@BridgeQueue () -> Void)?

  let limits: Limits
  private var descriptor: FileDescriptor?
  private var watch: DescriptorWatch?
  private var framer: LineFramer
  var output = OutputBuffer()
  private var replaceable = ReplaceableLines()
  private var isBlocked = false
  private var wasCongested = false
  private var isFlushScheduled = false
  private var pauses = 0
  private var isClosing = false

  /// Bytes read in one turn of the queue, so that one peer's stream holds up no other's.
  static let bytesPerTurn = 64 << 10
  private static let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesPerTurn, alignment: 16)

  public init(_ descriptor: consuming FileDescriptor, limits: Limits = Limits()) {
    self.limits = limits
    framer = LineFramer(maximumLine: limits.line)
    let number = descriptor.number
    self.descriptor = consume descriptor
    watch = DescriptorWatch(number, for: .reading) { self.handle($0) }
  }

  public var isOpen: Bool { watch != nil }

  /// Bytes sent that the peer's socket has not taken.
  public var queuedBytes: Int { output.count }

  /// More waits for the peer than a reader who keeps up lets wait.
  public var isCongested: Bool { isBlocked && output.count > limits.congestion }

  // MARK: Sending

  /// Sends what `write` appends: whole lines with their ends.
  public func send(_ write: (inout [UInt8]) -> Void) {
    guard isOpen, !isClosing else { return }
    let start = output.bytes.count
    write(&output.bytes)
    if let onSend { output.bytes.withUnsafeBufferPointer { onSend(UnsafeBufferPointer(rebasing: $0[start...])) } }
    if output.count > limits.output { return end(.outputFull(limit: limits.output)) }
    if isCongested { wasCongested = true }
    scheduleFlush()
  }

  public func send(_ line: [UInt8]) { send { $0.append(contentsOf: line) } }

  /// Sends a line that a later one with the same key makes worthless. While the channel is congested only the latest of
  /// each key is kept, and written when there is room.
  public func sendReplaceable(_ key: ReplaceableLines.Key, _ write: @escaping @BridgeQueue (inout [UInt8]) -> Void) {
    guard isOpen, !isClosing else { return }
    if isCongested { replaceable.put(key, write) } else { send(write) }
  }

  /// Forgets replaceable lines not yet written.
  public func dropReplaceable() { replaceable.removeAll() }

  private func scheduleFlush() {
    guard !isFlushScheduled, !isBlocked else { return }
    isFlushScheduled = true
    BridgeQueue.atEndOfTurn { self.flush() }
  }

  private func flush() {
    isFlushScheduled = false
    guard isOpen, let number = descriptor?.number else { return }
    guard !output.isEmpty else { return finishClosing() }
    let result = output.withUnwritten { Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    if result < 0 {
      guard errno == EAGAIN || errno == EINTR else { return end(.failed(SystemError(call: "send"))) }
    } else {
      output.removeFirst(result)
    }
    isBlocked = !output.isEmpty
    updateInterest()
    if isCongested { wasCongested = true }
    if !isBlocked { finishClosing() }
  }

  /// The peer has read something.
  private func continueWriting() {
    flush()
    guard isOpen, !isCongested else { return }
    while isOpen, !isCongested, let write = replaceable.takeFirst() { send(write) }
    if isOpen, !isBlocked, !output.isEmpty { flush() }
    guard wasCongested, !isCongested else { return }
    wasCongested = false
    onDrain?()
  }

  // MARK: Receiving

  /// Stops reading until `resumeReading` has been called as often: the peer's writes stop in turn.
  public func pauseReading() {
    pauses += 1
    updateInterest()
  }

  public func resumeReading() {
    precondition(pauses > 0, "reading was not paused")
    pauses -= 1
    guard pauses == 0, isOpen else { return }
    updateInterest()
    // Lines that had been read before the pause, in a turn of their own: the caller may be in the middle of something.
    if framer.pendingBytes > 0 { BridgeQueue.async { [weak self] in self?.deliverLines() } }
  }

  private func handle(_ readiness: Readiness) {
    if readiness.contains(.writing) { continueWriting() }
    guard isOpen else { return }
    if readiness.contains(.reading), canRead {
      read()
    } else if !readiness.isDisjoint(with: [.hangUp, .error]) {
      end(.endOfFile)
    }
  }

  private var canRead: Bool { pauses == 0 && !isClosing }

  private func read() {
    guard let number = descriptor?.number else { return }
    let buffer = Self.readBuffer
    let count = Glibc.read(number, buffer.baseAddress, buffer.count)
    if count > 0 {
      framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      deliverLines()
    } else if count == 0 {
      end(.endOfFile)
    } else if errno != EAGAIN && errno != EINTR {
      end(.failed(SystemError(call: "read")))
    }
  }

  private func deliverLines() {
    do {
      while isOpen, canRead, let line = try framer.next() {
        framer.withLine(line) { onLine?($0) }
      }
    } catch { if isOpen { end(.lineTooLong(error)) } }
  }

  private func updateInterest() {
    var interest: Interest = []
    if canRead { interest.insert(.reading) }
    if isBlocked { interest.insert(.writing) }
    watch?.interest = interest
  }

  // MARK: Ending

  /// Closes at once; what has not been written is lost. No callback follows.
  public func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    descriptor = nil
    output = OutputBuffer()
    replaceable.removeAll()
    (onLine, onEnd, onDrain, onSend) = (nil, nil, nil, nil)
  }

  /// Reads and takes nothing more, and closes when what was sent is written, or after two seconds.
  public func closeAfterFlush() {
    guard isOpen, !isClosing else { return }
    isClosing = true
    replaceable.removeAll()
    (onLine, onEnd, onDrain, onSend) = (nil, nil, nil, nil)
    updateInterest()
    scheduleFlush()
    QueueTimer(after: limits.closingTime) { self.close() }
  }

  private func finishClosing() { if isClosing { close() } }

  private func end(_ reason: End) {
    let onEnd = onEnd
    close()
    onEnd?(reason)
  }
}
