import BridgeIO
import BridgeProtocol

/// Policy `takeover`: one app at a time, the last wins. A newcomer counts once it has said something, or has stayed for a
/// while saying nothing: a bare connection, as probes make it, costs nobody anything. Several connections of one process are one app's: those of
/// its managers.
@BridgeQueue
final class Takeover {
  private let limits: ServerLimits
  private struct Place {
    weak var session: Session?
  }

  /// Of one app. Of ImpossiBLE's, which has one connection, there is one.
  private var active: [Place] = []
  /// Processes evicted lately that do not know that they shall not come back, by pid.
  private var evicted: [(pid: Int32, at: ContinuousClock.Instant)] = []

  init(limits: ServerLimits) { self.limits = limits }

  /// Someone has connected, and may be a client that waits to be spoken to.
  func newcomer(_ session: Session) {
    guard session.door == .clients else { return }
    QueueTimer(after: limits.takeoverGrace) { [weak self, weak session] in
      guard let self, let session, session.isOpen, !session.hasSpoken else { return }
      take(session)
    }
  }

  /// The first message of a session, a hello already taken in.
  func hasSpoken(_ session: Session) {
    if !session.isObserver { take(session) }
  }

  private func take(_ session: Session) {
    let holders = active.compactMap(\.session).filter(\.isOpen)
    guard !holders.contains(where: { $0 === session }) else { return }
    if isReturning(session) { return session.close("it was evicted a moment ago and does not say hello") }
    let isSibling = !holders.isEmpty && holders.allSatisfy { Self.areOfOneApp($0, session) }
    if !isSibling { for old in holders { evict(old, for: session) } }
    active = (isSibling ? holders : []).map { Place(session: $0) } + [Place(session: session)]
  }

  /// Clients that ask for features may be several in one process. One that does not is ImpossiBLE's, and its second
  /// connection takes the place of a first that it has given up.
  private static func areOfOneApp(_ one: Session, _ other: Session) -> Bool {
    guard let first = one.hello, let second = other.hello, first.features != nil, second.features != nil,
      let pid = first.pid
    else { return false }
    return pid == second.pid && first.bundleId == second.bundleId && one.peer.pid == other.peer.pid
  }

  private func evict(_ old: Session, for session: Session) {
    let peer = session.peer
    old.send(
      .connectionRejected(
        ConnectionRejected(
          supersededBy: peer.pid > 0 ? Int(peer.pid) : nil,
          processName: peer.processName.isEmpty ? nil : peer.processName)))
    if old.hello == nil { evicted.append((old.peer.pid, .now)) }
    old.close("\(session.name) took its place")
  }

  /// Two clients too old to understand the eviction would throw each other out for ever.
  private func isReturning(_ session: Session) -> Bool {
    evicted.removeAll { .now - $0.at > limits.evictionMemory }
    return session.hello == nil && session.peer.pid > 0 && evicted.contains { $0.pid == session.peer.pid }
  }
}
