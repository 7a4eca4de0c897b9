import Foundation

/// What both streams of a channel have in common: the delegate, the status, and which events are still to be told.
final class StreamCore {
  struct State {
    weak var delegate: (any StreamDelegate)?
    var status = Stream.Status.notOpen
    var error: (any Error)?
    var isOpeningTold = false
    /// Bytes or space have been told, and the app has not used them since.
    var isReadinessTold = false
    var isEndTold = false
  }

  let state = Guarded(State())
  private(set) lazy var schedule = StreamSchedule { [weak self] in self?.tell() }
  private unowned let stream: Stream
  private let readiness: Stream.Event
  /// Whether there is something to read or room to write.
  private let isReady: () -> Bool
  private let peerEnd: () -> L2CAPPipe.Peer?
  /// Whether the peer's orderly end is one of this stream too.
  private let endsOrderly: Bool

  init(
    _ stream: Stream, _ readiness: Stream.Event, isReady: @escaping () -> Bool,
    peerEnd: @escaping () -> L2CAPPipe.Peer?
  ) {
    self.stream = stream
    self.readiness = readiness
    self.isReady = isReady
    self.peerEnd = peerEnd
    endsOrderly = readiness == .hasBytesAvailable
    _ = schedule
  }

  // MARK: Status

  var status: Stream.Status {
    update()
    return state[\.status]
  }

  var error: (any Error)? {
    update()
    return state[\.error]
  }

  var isOpen: Bool { state[\.status] == .open }

  /// - Returns: whether it was not open before.
  func open() -> Bool {
    let isNew = state.withLock { state in
      guard state.status == .notOpen else { return false }
      state.status = .open
      return true
    }
    if isNew { schedule.signal() }
    return isNew
  }

  func close() {
    state[\.status] = .closed
    schedule.removeAll()
  }

  /// Takes over what became of the peer.
  private func update() {
    guard isOpen, let end = peerEnd() else { return }
    let isOrderly: Bool
    if case .closed = end { isOrderly = endsOrderly } else { isOrderly = false }
    state.withLock { state in
      guard state.status == .open else { return }
      state.status = isOrderly ? .atEnd : .error
      if !isOrderly { state.error = end.error }
    }
  }

  // MARK: Events

  /// The app has read or written.
  func used() {
    state[\.isReadinessTold] = false
    if isReady() || peerEnd() != nil { schedule.signal() }
  }

  /// Tells the delegate what there is to tell.
  private func tell() {
    // The delegate may release the stream.
    let stream = stream
    withExtendedLifetime(stream) {
      if take(.openCompleted) { tell(.openCompleted) }
      if take(readiness) { tell(readiness) }
      if take(.endEncountered) { tell(state[\.status] == .atEnd ? .endEncountered : .errorOccurred) }
    }
  }

  private func tell(_ event: Stream.Event) { state.withLock { $0.delegate }?.stream(stream, handle: event) }

  /// Whether an event is due; it is not again before there is a new reason.
  private func take(_ event: Stream.Event) -> Bool {
    update()
    let isReady = event == readiness && isReady()
    return state.withLock { state in
      switch (event, state.status) {
      case (.openCompleted, .open), (.openCompleted, .atEnd), (.openCompleted, .error):
        defer { state.isOpeningTold = true }
        return !state.isOpeningTold
      case (.endEncountered, .atEnd), (.endEncountered, .error):
        defer { state.isEndTold = true }
        return !state.isEndTold
      case (readiness, .open) where isReady:
        defer { state.isReadinessTold = true }
        return !state.isReadinessTold
      default: return false
      }
    }
  }
}

extension L2CAPPipe.Peer {
  var error: (any Error)? {
    switch self {
    case .open: nil
    case .closed: NSError(domain: NSPOSIXErrorDomain, code: Int(EPIPE))
    case .lost(let error): error.appError
    }
  }
}
