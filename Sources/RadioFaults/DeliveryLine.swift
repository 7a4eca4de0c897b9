import BridgeIO
import BridgeProtocol

/// Lets things through in order, some of them after a time; what comes behind such a one waits too.
@BridgeQueue
final class DeliveryLine {
  private struct Entry {
    var due: ContinuousClock.Instant
    var run: @BridgeQueue () -> Void
    var cancel: (@BridgeQueue (BluetoothError) -> Void)?
  }

  private let held: HeldDeliveries
  private let limit: Int
  private var waiting: [Entry] = []
  private var next = 0
  private var timer: QueueTimer?

  /// - Parameter limit: past it the oldest is dropped, which suits advertisements alone.
  init(_ held: HeldDeliveries, limit: Int = .max) {
    self.held = held
    self.limit = limit
  }

  var isEmpty: Bool { next == waiting.count }

  /// Runs `body` at once if nothing waits and there is no delay, else in its turn.
  ///
  /// - Parameter cancel: called instead of `body` if the line is cancelled.
  func pass(
    after delay: Duration = .zero, cancel: (@BridgeQueue (BluetoothError) -> Void)? = nil,
    _ body: @escaping @BridgeQueue () -> Void
  ) {
    if isEmpty, delay == .zero { return body() }
    let due = ContinuousClock.now + delay
    if waiting.count - next >= limit { drop() }
    waiting.append(Entry(due: max(due, waiting.last?.due ?? due), run: body, cancel: cancel))
    held.count += 1
    if timer == nil { wait() }
  }

  /// Empties the line: what can be cancelled is, the rest is forgotten.
  func cancel(_ error: BluetoothError) {
    timer?.cancel()
    timer = nil
    let cancelled = waiting[next...]
    clear()
    held.count -= cancelled.count
    for entry in cancelled { entry.cancel?(error) }
  }

  private func wait() {
    guard !isEmpty else { return }
    timer = QueueTimer(after: waiting[next].due - .now) { [self] in
      timer = nil
      deliver()
    }
  }

  private func deliver() {
    let now = ContinuousClock.now
    while !isEmpty, waiting[next].due <= now {
      let run = waiting[next].run
      drop()
      run()
    }
    if timer == nil { wait() }
  }

  private func drop() {
    next += 1
    held.count -= 1
    if isEmpty { clear() } else if next > 64, next * 2 > waiting.count { compact() }
  }

  private func compact() {
    waiting.removeFirst(next)
    next = 0
  }

  private func clear() {
    waiting = []
    next = 0
  }
}

/// How much a radio's lines hold back together.
@BridgeQueue
final class HeldDeliveries {
  var count = 0
}
