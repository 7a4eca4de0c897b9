import Glibc

/// Runs a closure once on the bridge queue after a time, unless cancelled first.
///
/// It fires never early and at most a millisecond late, apart from work before it. The closure is released at
/// firing and at cancelling. The timer lives until then without being retained.
@BridgeQueue
public final class QueueTimer {
  let deadline: ContinuousClock.Instant
  private var body: (@BridgeQueue () -> Void)?

  @discardableResult
  public init(after delay: Duration, _ body: @escaping @BridgeQueue () -> Void) {
    deadline = .now + delay
    self.body = body
    Reactor.shared.add(self)
  }

  public var isPending: Bool { body != nil }

  public func cancel() { body = nil }

  func fire() {
    let body = body
    self.body = nil
    body?()
  }
}

/// A binary heap of timers by deadline; cancelled ones are dropped when they surface.
struct TimerHeap {
  private var heap: [QueueTimer] = []

  var isEmpty: Bool { heap.isEmpty }

  @BridgeQueue
  mutating func insert(_ timer: QueueTimer) {
    heap.append(timer)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if heap[parent].deadline <= heap[child].deadline { break }
      heap.swapAt(parent, child)
      child = parent
    }
    dropCancelled()
  }

  /// For epoll_wait(2): rounded up, -1 without a timer.
  @BridgeQueue
  mutating func millisecondsUntilNext() -> CInt {
    dropCancelled()
    guard let next = heap.first else { return -1 }
    let left = next.deadline - .now
    if left <= .zero { return 0 }
    let (seconds, attoseconds) = left.components
    return CInt(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Takes the earliest timer out if it is due.
  @BridgeQueue
  mutating func popDue(at now: ContinuousClock.Instant) -> QueueTimer? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    removeFirst()
    return first
  }

  @BridgeQueue
  private mutating func dropCancelled() {
    while let first = heap.first, !first.isPending { removeFirst() }
  }

  @BridgeQueue
  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      if heap[parent].deadline <= heap[child].deadline { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
