import BridgeIO

/// What is to happen at its time, in the order of the recording where times are equal. Never within the call that adds it.
@BridgeQueue
final class Agenda<Step> {
  private struct Entry {
    var due: ContinuousClock.Instant
    /// Of the recording.
    var line: Int
    var step: Step
  }

  private var entries: [Entry] = []
  private var next = 0
  private var timer: QueueTimer?
  private var isRunning = false
  private let perform: @BridgeQueue (Step) -> Void
  /// Steps at once, before others get their turn; a millisecond is between, so that those who read keep up.
  private static var stepsPerTurn: Int { 64 }

  init(perform: @escaping @BridgeQueue (Step) -> Void) { self.perform = perform }

  func add(_ step: Step, line: Int, due: ContinuousClock.Instant) {
    var low = next
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if (entries[middle].due, entries[middle].line) <= (due, line) { low = middle + 1 } else { high = middle }
    }
    entries.insert(Entry(due: due, line: line, step: step), at: low)
    if low == next { arm() }
  }

  /// Takes out the steps that `isChosen`, in order.
  func remove(where isChosen: (_ line: Int, Step) -> Bool) -> [Step] {
    var taken: [Step] = []
    var left: [Entry] = []
    for entry in entries[next...] {
      if isChosen(entry.line, entry.step) { taken.append(entry.step) } else { left.append(entry) }
    }
    entries = left
    next = 0
    arm()
    return taken
  }

  private func arm() {
    guard !isRunning else { return }
    timer?.cancel()
    guard next < entries.count else { return }
    timer = QueueTimer(after: max(.zero, entries[next].due - .now)) { [weak self] in self?.run() }
  }

  private func run() {
    isRunning = true
    var count = 0
    while next < entries.count, entries[next].due <= .now, count < Self.stepsPerTurn {
      let step = entries[next].step
      next += 1
      count += 1
      if next > 1024, next > entries.count / 2 {
        entries.removeSubrange(..<next)
        next = 0
      }
      perform(step)
    }
    isRunning = false
    if count == Self.stepsPerTurn {
      timer = QueueTimer(after: .milliseconds(1)) { [weak self] in self?.run() }
    } else {
      arm()
    }
  }
}
