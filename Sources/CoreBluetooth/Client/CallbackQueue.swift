import BridgeIO
import Dispatch

/// Runs one manager's callbacks on the queue that the app gave, one at a time and in order even if that queue is
/// concurrent.
package final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isScheduled = false
    var isClosed = false
  }

  private let target: DispatchQueue
  private let state = Lock(State())

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
    let batch = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for body in batch { body() }
    let isDone = state.withLock { state in
      if state.waiting.isEmpty { state.isScheduled = false }
      return state.waiting.isEmpty
    }
    if !isDone { schedule() }
  }
}
