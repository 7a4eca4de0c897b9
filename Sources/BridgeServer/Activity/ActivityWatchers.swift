import BridgeIO
import BridgeProtocol

/// Tells those who watch the record of traffic when it has changed, at most every so often, and when devices no longer
/// count as active.
@BridgeQueue
final class ActivityWatchers {
  private unowned let server: Server
  private var timer: QueueTimer?
  private var hasWatchers = false
  private var hasChanged = false
  private var activeDevices = 0

  init(server: Server) { self.server = server }

  func add() {
    hasWatchers = true
    activeDevices = server.activity.activeDevices
    if activeDevices > 0 { schedule() }
  }

  /// On the way of every operation: nothing to do while nobody watches.
  func activityChanged() {
    guard hasWatchers else { return }
    hasChanged = true
    schedule()
  }

  private func schedule() {
    guard timer?.isPending != true else { return }
    timer = QueueTimer(after: server.configuration.limits.watchInterval) { [weak self] in self?.tell() }
  }

  private func tell() {
    let watchers = server.sessions.filter(\.watchesDevices)
    hasWatchers = !watchers.isEmpty
    guard hasWatchers else { return }
    let active = server.activity.activeDevices
    if hasChanged || active != activeDevices { send(to: watchers) }
    hasChanged = false
    activeDevices = active
    if active > 0 { schedule() }
  }

  private func send(to watchers: [Session]) {
    let message = ServerMessage.didReportDevices(DidReportDevices(devices: server.activity.devices))
    for session in watchers { session.send(message) }
  }
}
