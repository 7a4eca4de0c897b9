public import BridgeIO

/// How a service serves.
public struct ServerConfiguration: Sendable {
  /// What happens to a client when another one connects.
  public enum Policy: String, Sendable, CaseIterable {
    /// All are served at once, each with its own scan, connections and subscriptions.
    case shared
    /// ImpossiBLE's rule: the last one wins, the one before is told that it shall not come back.
    case takeover
  }

  /// Compiled into ImpossiBLE's client library.
  public static let standardSocketPath = "/tmp/impossible.sock"

  /// Clients connect here while the radio is on. The service's own command line and clients that know the radio's state
  /// connect at `<socketPath>.control`, always. `<socketPath>.lock` says who serves.
  public var socketPath: String
  public var permissions: UnixSocket.Permissions
  /// Sockets that systemd has opened: the one named `control` becomes the control socket, the first other one the
  /// clients'.
  public var inherited: [InheritedSocket]
  public var policy: Policy
  /// One JSON line is appended for each GATT or L2CAP operation; nil for no such file.
  public var activityLogPath: String?
  /// A folder for each session's conversation, a file each; nil keeps none.
  public var recordingPath: String?
  /// Told to clients.
  public var serverVersion: String
  public var limits: ServerLimits

  public init(
    socketPath: String = standardSocketPath, permissions: UnixSocket.Permissions = UnixSocket.Permissions(),
    inherited: [InheritedSocket] = [], policy: Policy = .shared, activityLogPath: String? = nil,
    recordingPath: String? = nil, serverVersion: String, limits: ServerLimits = ServerLimits()
  ) {
    self.socketPath = socketPath
    self.permissions = permissions
    self.inherited = inherited
    self.policy = policy
    self.activityLogPath = activityLogPath
    self.recordingPath = recordingPath
    self.serverVersion = serverVersion
    self.limits = limits
  }
}

/// The bounds of one service. The values are the product's; tests shorten the times.
public struct ServerLimits: Sendable {
  /// Connected clients; past it a silent one makes room, or the newcomer is closed.
  public var sessions = 256
  public var channel = LineChannel.Limits()
  /// Bytes waiting, of one client for one device, past which the client is not read.
  public var deviceQueue = 64 << 10
  /// The time an L2CAP channel has to open.
  public var channelOpening = Duration.seconds(3)
  /// How long a silent newcomer must stay to be taken for a client (policy `takeover`).
  public var takeoverGrace = Duration.milliseconds(500)
  /// How soon a client that was evicted may not come back, if it is one that does not know that it shall not.
  public var evictionMemory = Duration.seconds(5)
  /// How long the scan of a client that went is remembered for its return.
  public var scanMemory = Duration.seconds(300)
  /// How long what a client had published, or held under a restore identifier, is kept for its return.
  public var restoration = Duration.seconds(300)
  /// How long devices count as active after an operation.
  public var activityDuration = Duration.milliseconds(1500)
  /// How often those who watch the record of traffic are told at most.
  public var watchInterval = Duration.milliseconds(250)
  /// Bytes of one session's recording, which ends there.
  public var recording = 256 << 20
  public init() {}
}
