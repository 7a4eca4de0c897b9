import BridgeIO

/// How many writes without response of one connection are on their way, and how long one may be.
package final class WriteWindow: Sendable {
  private struct State {
    var inFlight = 0
    /// The app has met a full window, and is to be told when there is room.
    var isAwaited = false
    var maximumLength = WriteWindow.shortestLength
  }

  /// Writes that may be on their way before the app is asked to wait, unless emulation has it otherwise.
  package static let standardSize = 20
  let size: Int
  /// Bytes that every connection can carry, ATT MTU 23.
  static let shortestLength = 20

  private let state = Lock(State())

  init(size: Int = WriteWindow.standardSize) { self.size = max(1, size) }

  /// Whether there is room; if not, the app waits for it from now on.
  var hasRoom: Bool {
    state.withLock { state in
      if state.inFlight < size { return true }
      state.isAwaited = true
      return false
    }
  }

  /// Whether a write has not left yet.
  var isUnderWay: Bool { state.withLock { $0.inFlight > 0 } }

  /// A write is under way. It is not lost when the window is full.
  func begin() {
    state.withLock { state in
      if state.inFlight >= size { state.isAwaited = true }
      state.inFlight += 1
    }
  }

  /// So many have left.
  ///
  /// - Returns: whether the app has waited for it.
  func finish(_ count: Int) -> Bool {
    state.withLock { state in
      state.inFlight = max(0, state.inFlight - count)
      guard state.isAwaited, state.inFlight < size else { return false }
      state.isAwaited = false
      return true
    }
  }

  /// Bytes of one write: ATT MTU - 3.
  var maximumLength: Int {
    get { state.withLock { $0.maximumLength } }
    set { state.withLock { $0.maximumLength = newValue } }
  }
}
