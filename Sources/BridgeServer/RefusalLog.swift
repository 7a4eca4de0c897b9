import BridgeIO

/// Logs newcomers that find no place, without letting a thousand of them fill the log.
@BridgeQueue
struct RefusalLog {
  private var next: ContinuousClock.Instant = .now
  private var untold = 0
  private static let interval = Duration.seconds(5)

  mutating func add(_ peer: SocketOwner, limit: Int) {
    guard .now >= next else {
      untold += 1
      return
    }
    let others = untold > 0 ? ", and \(untold) more lately" : ""
    Log.notice("server", "\(peer) was refused: \(limit) clients are connected\(others)")
    untold = 0
    next = .now + Self.interval
  }
}
