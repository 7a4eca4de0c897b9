import BridgeIO
import BridgeProtocol

/// What clients with a restore identifier held when they went: kept for their next run, then let go of.
///
/// The ended session stays the holder meanwhile; what is sent to it goes nowhere.
@BridgeQueue
final class Restorations {
  private struct Client: Hashable {
    var bundleId: String
    var identifier: String
  }

  private let duration: Duration
  private var kept: [Client: (session: Session, timer: QueueTimer)] = [:]
  private static let capacity = 64

  init(duration: Duration) { self.duration = duration }

  /// - Returns: whether the session's holds stay.
  func keep(_ session: Session) -> Bool {
    guard let client = Self.client(session), session.scan != nil || !session.connections.isEmpty,
      kept.count < Self.capacity
    else { return false }
    take(client)?.releaseKept()
    let timer = QueueTimer(after: duration) { [weak self] in self?.take(client)?.releaseKept() }
    kept[client] = (session, timer)
    return true
  }

  /// The session with which the same client went; once.
  func take(for session: Session) -> Session? { Self.client(session).flatMap { take($0) } }

  @discardableResult
  private func take(_ client: Client) -> Session? {
    guard let entry = kept.removeValue(forKey: client) else { return nil }
    entry.timer.cancel()
    return entry.session
  }

  func releaseAll() {
    for client in kept.keys { take(client)?.releaseKept() }
  }

  private static func client(_ session: Session) -> Client? {
    guard session.features.contains(.restore), let hello = session.hello, let identifier = hello.restoreIdentifier
    else { return nil }
    return Client(bundleId: hello.bundleId ?? "", identifier: identifier)
  }
}
