import BridgeIO
import Dispatch

/// Runs one manager's callbacks on the queue that the app gave, one at a time and in order even if that queue is
/// concurrent.
package final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isScheduled = false
    var isClosed = false
    var isFull = false
  }

  /// Callbacks that wait before what makes more of them is to pause. As many again may be with the app's queue.
  package static let capacity = 1000

  private let target: DispatchQueue
  private let state = Lock(State())
  /// Called from any thread when the app's queue has taken what waited, after `isFull` was true.
  private let onRelief = Lock<(@Sendable () -> Void)?>(nil)

  /// - Parameter target: nil is the main queue.
  package init(_ target: DispatchQueue?) { self.target = target ?? .main }

  /// Runs `body` later, behind all that was added before.
  package func add(_ body: @escaping @Sendable () -> Void) {
    let mustSchedule = state.withLock { state in
      if state.isClosed { return false }
      state.waiting.append(body)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// How many wait.
  package var count: Int { state.withLock { $0.waiting.count } }

  /// Whether the app's queue does not keep up. Who reads true is told when it has.
  package var isFull: Bool {
    state.withLock { state in
      state.isFull = state.waiting.count >= Self.capacity
      return state.isFull
    }
  }

  /// - Parameter action: called from any thread.
  package func onRelief(_ action: @escaping @Sendable () -> Void) { onRelief.withLock { $0 = action } }

  /// Drops what waits, and all that comes.
  package func close() {
    let dropped = state.withLock { state in
      defer { state.waiting = [] }
      state.isClosed = true
      return state.waiting
    }
    // Outside the lock: what it holds may end here, and close other things.
    withExtendedLifetime(dropped) {}
  }

  private func schedule() { target.async { self.run() } }

  /// Runs what waits; what comes meanwhile waits for another turn of the app's queue, so others get theirs.
  private func run() {
    let (batch, wasFull) = state.withLock { state in
      defer { (state.waiting, state.isFull) = ([], false) }
      return (state.waiting, state.isFull)
    }
    if wasFull { onRelief.withLock { $0 }?() }
    for body in batch { body() }
    let isDone = state.withLock { state in
      if state.waiting.isEmpty { state.isScheduled = false }
      return state.waiting.isEmpty
    }
    if !isDone { schedule() }
  }
}
