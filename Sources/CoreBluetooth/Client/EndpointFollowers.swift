import BridgeIO

/// Connections that change over when another endpoint is put to use.
@BridgeQueue
enum EndpointFollowers {
  private struct Follower { weak var connection: ServiceConnection? }

  private static var followers: [Follower] = []

  static func add(_ connection: ServiceConnection) {
    followers.removeAll { $0.connection == nil || $0.connection === connection }
    followers.append(Follower(connection: connection))
  }

  static func endpointChanged() { for follower in followers { follower.connection?.endpointChanged() } }
}
