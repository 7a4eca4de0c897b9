import Foundation

/// What has come, to be waited for.
///
/// `@unchecked Sendable` is sound: everything is behind the lock, and what comes is not changed any more.
public final class Inbox<Event>: @unchecked Sendable {
  public struct NothingCame: Error, CustomStringConvertible {
    public var description: String
  }

  private let lock = NSLock()
  private var events: [Event] = []
  private var waiter: CheckedContinuation<Void, Never>?

  public init() {}

  public func add(_ event: Event) {
    lock.withLock { events.append(event) }
    wake()
  }

  /// What `match` makes of the first event that it makes something of; those before it are dropped.
  @discardableResult
  public func next<Result>(
    _ what: String, within limit: TimeInterval = 60, _ match: (Event) -> Result?
  ) async throws -> Result {
    let deadline = Date() + limit
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in self?.wake() }
    var seen = 0
    while true {
      let (result, count) = lock.withLock { find(match, from: seen) }
      if let result { return result }
      seen = count
      guard Date() < deadline else {
        throw NothingCame(description: "no \(what); there came \(lock.withLock { events })")
      }
      await news(after: seen)
    }
  }

  private func find<Result>(_ match: (Event) -> Result?, from start: Int) -> (Result?, Int) {
    for index in events.indices.dropFirst(start) {
      guard let result = match(events[index]) else { continue }
      events.removeFirst(index + 1)
      return (result, 0)
    }
    return (nil, events.count)
  }

  private func news(after seen: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = lock.withLock {
        if events.count == seen { waiter = continuation }
        return events.count != seen
      }
      if isThere { continuation.resume() }
    }
  }

  private func wake() {
    let waiter = lock.withLock {
      defer { self.waiter = nil }
      return self.waiter
    }
    waiter?.resume()
  }
}

extension Inbox<String> {
  public func line(_ wanted: String) async throws { try await next("'\(wanted)'") { $0 == wanted ? () : nil } }

  /// All of them, in any order.
  public func lines(_ wanted: Set<String>) async throws {
    var missing = wanted
    while !missing.isEmpty {
      missing.remove(try await next("'\(missing.joined(separator: "', '"))'") { missing.contains($0) ? $0 : nil })
    }
  }
}
