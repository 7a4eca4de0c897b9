import BridgeIO
import Radio

/// A recorded L2CAP channel: what came from the device comes again, once as many bytes as then have been sent to it.
@BridgeQueue
final class ReplayChannel: RadioL2CAPChannel {
  let psm: UInt16
  var onData: (@BridgeQueue ([UInt8]) -> Void)? { didSet { proceed() } }
  var onClose: (@BridgeQueue () -> Void)? { didSet { proceed() } }
  var onDrain: (@BridgeQueue () -> Void)?
  let queuedBytes = 0
  private let recorded: RecordedChannel
  private let script: Script
  private let pace: ReplayPace
  private var sent = 0
  private var next = 0
  /// When the bytes that the next entry waits for were sent.
  private var reached = ContinuousClock.now
  private var isPaused = false
  private var isOpen = true
  private var timer: QueueTimer?

  init(_ recorded: RecordedChannel, script: Script, pace: ReplayPace) {
    self.recorded = recorded
    self.script = script
    self.pace = pace
    psm = recorded.psm
  }

  func send(_ bytes: [UInt8]) {
    guard isOpen else { return }
    let left = recorded.sent.dropFirst(sent)
    guard left.starts(with: bytes) else {
      let same = zip(left, bytes).prefix { $0 == $1 }.count
      script.differ(
        inChannel: "not in the recording: byte \(sent + same + 1) to the channel of line \(recorded.line), PSM \(psm);"
          + (same < left.count ? " another was sent" : " no more were sent"))
      BridgeQueue.async { self.closeByDevice() }
      return
    }
    sent += bytes.count
    reached = .now
    proceed()
  }

  func setReadingPaused(_ paused: Bool) {
    isPaused = paused
    proceed()
  }

  func close() {
    isOpen = false
    timer?.cancel()
    (onData, onClose, onDrain) = (nil, nil, nil)
  }

  func endOfLink() { closeByDevice() }

  private func closeByDevice() {
    guard isOpen else { return }
    let onClose = onClose
    close()
    onClose?()
  }

  /// Has the next entry come at its time; one at a time, so that reading can be paused between.
  private func proceed() {
    guard isOpen, !isPaused, onData != nil, timer?.isPending != true, next < recorded.received.count else { return }
    let entry = recorded.received[next]
    guard entry.bytesSent <= sent else { return }
    let due = pace.time(entry.delay, after: reached)
    timer = QueueTimer(after: max(.zero, due - .now)) { [weak self] in self?.deliver(entry) }
  }

  private func deliver(_ entry: RecordedChannel.Entry) {
    guard isOpen, !isPaused else { return }
    next += 1
    switch entry.step {
    case .data(let bytes): onData?(bytes)
    case .closed: return closeByDevice()
    }
    proceed()
  }
}
