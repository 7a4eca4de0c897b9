/// The service's status. Feature `control`.
public struct DidReportStatus: EventBody {
  static let type: StaticString = "didReportStatus"

  public var serverVersion: String
  public var protocolVersion: Int
  /// Seconds.
  public var uptime: Double
  public var socketPath: String
  /// `shared` or `takeover`.
  public var policy: String
  public var radio: RadioStatus
  public var clients: [ClientStatus]
  /// Whether any device saw traffic within the last 1.5 s.
  public var trafficActive: Bool
  /// The latest operation, for people; empty if there was none.
  public var lastActivity: String

  public init(
    serverVersion: String, protocolVersion: Int = ProtocolVersion.current, uptime: Double, socketPath: String,
    policy: String, radio: RadioStatus, clients: [ClientStatus], trafficActive: Bool, lastActivity: String
  ) {
    self.serverVersion = serverVersion
    self.protocolVersion = protocolVersion
    self.uptime = uptime
    self.socketPath = socketPath
    self.policy = policy
    self.radio = radio
    self.clients = clients
    self.trafficActive = trafficActive
    self.lastActivity = lastActivity
  }

  init(_ fields: MessageFields) throws(FieldError) {
    serverVersion = try fields.string("serverVersion")
    protocolVersion = try fields.int("protocolVersion")
    uptime = try fields.double("uptime")
    socketPath = try fields.string("socketPath")
    policy = try fields.string("policy")
    guard let radio = try fields.object("radio") else { throw FieldError("radio", .missing) }
    do { self.radio = try RadioStatus(radio) } catch { throw error.inside("radio") }
    clients = try fields.objects("clients", ClientStatus.init)
    trafficActive = try fields.bool("trafficActive")
    lastActivity = try fields.string("lastActivity")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("serverVersion", serverVersion)
    writer.field("protocolVersion", protocolVersion)
    writer.field("uptime", uptime)
    writer.field("socketPath", socketPath)
    writer.field("policy", policy)
    writer.key("radio")
    writer.object(radio)
    writer.key("clients")
    writer.objects(clients)
    writer.field("trafficActive", trafficActive)
    writer.field("lastActivity", lastActivity)
  }
}
