import Foundation

/// Calls a stream back on the run loops on which it is scheduled.
///
/// A source of Foundation's, and not a block for `RunLoop.perform`: it keeps the loop running while nothing else does,
/// and `run(mode:before:)` returns once it was handled, as loops of apps expect. Nothing public wakes a loop of another
/// thread but a timer that becomes due, so each source has one beside it.
///
/// `@unchecked Sendable` is sound: what changes is guarded; run loop sources and timers may be signalled, made due and
/// invalidated from any thread.
final class StreamSchedule: @unchecked Sendable {
  private final class Source: RunLoop._Source {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) {
      self.body = body
      super.init(order: 0)
    }
    override func perform() { body() }
  }

  private struct Entry {
    let loop: RunLoop
    let mode: RunLoop.Mode
    let source: Source
    let alarm: Timer
  }

  private let entries = Guarded<[Entry]>([])
  private let body: () -> Void

  /// - Parameter body: runs on a scheduled run loop after each `signal`.
  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { removeAll() }

  func add(to loop: RunLoop, mode: RunLoop.Mode) {
    let source = Source(body)
    let alarm = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }
    entries.withLock { $0.append(Entry(loop: loop, mode: mode, source: source, alarm: alarm)) }
    loop._add(source, forMode: mode)
    loop.add(alarm, forMode: mode)
    signal()
  }

  func remove(from loop: RunLoop, mode: RunLoop.Mode) {
    let removed = entries.withLock { entries in
      let removed = entries.filter { $0.loop === loop && $0.mode == mode }
      entries.removeAll { $0.loop === loop && $0.mode == mode }
      return removed
    }
    for entry in removed { end(entry) }
  }

  func removeAll() {
    let removed = entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
    for entry in removed { end(entry) }
  }

  private func end(_ entry: Entry) {
    entry.source.invalidate()
    entry.alarm.invalidate()
  }

  func signal() {
    for entry in entries.withLock({ $0 }) {
      entry.source.signal()
      entry.alarm.fireDate = Date()
    }
  }
}
