public import Foundation

/// How long to wait for what has to come: TEST_PATIENCE on slow machines.
public enum Patience {
  public static let seconds =
    ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap { TimeInterval($0) } ?? 30
}

/// What a delegate was told, to be waited for. What comes before what is waited for is dropped.
///
/// `@unchecked Sendable` is sound: everything is behind the lock, and the events' objects are safe from any thread.
public final class Inbox<Event>: @unchecked Sendable {
  public struct NothingCame: Error, CustomStringConvertible {
    public var description: String
  }

  private let lock = NSLock()
  private var events: [Event] = []
  private var waiter: CheckedContinuation<Void, Never>?

  public init() {}

  public func add(_ event: Event) {
    let waiter = lock.withLock {
      events.append(event)
      defer { self.waiter = nil }
      return self.waiter
    }
    waiter?.resume()
  }

  /// What `match` makes of the first event that it makes something of.
  public func first<Result>(
    _ what: String, within limit: TimeInterval = Patience.seconds, _ match: (Event) -> Result?
  ) async throws -> Result {
    let deadline = Date() + limit
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in self?.wake() }
    var dropped: [Event] = []
    while true {
      for event in lock.withLock({ take() }) {
        if let result = match(event.event) {
          lock.withLock { events.insert(contentsOf: event.rest, at: 0) }
          return result
        }
        dropped.append(event.event)
      }
      if Date() >= deadline { throw NothingCame(description: "no \(what); there came \(dropped)") }
      await withCheckedContinuation { continuation in
        let isThere = lock.withLock {
          if events.isEmpty { waiter = continuation }
          return !events.isEmpty
        }
        if isThere { continuation.resume() }
      }
    }
  }

  /// All of them, each with those behind it.
  private func take() -> [(event: Event, rest: ArraySlice<Event>)] {
    let taken = events
    events = []
    return taken.indices.map { (taken[$0], taken[($0 + 1)...]) }
  }

  private func wake() {
    let waiter = lock.withLock {
      defer { self.waiter = nil }
      return self.waiter
    }
    waiter?.resume()
  }

  /// What has come and was not waited for.
  public var pending: [Event] { lock.withLock { events } }

  public func removeAll() { lock.withLock { events = [] } }
}
