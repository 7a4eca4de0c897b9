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
  /// All that are served, side by side; none when the mode is off.
  public var radios: [RadioStatus]
  /// What the service is told to serve.
  public var mode: RadioMode
  /// What it serves: a `ServedMode`.
  public var serving: String
  /// Why it is not what one may expect, in a sentence; nil when it is.
  public var notice: String?
  /// The name of the configuration chosen for the virtual devices; nil if there is none.
  public var mockConfiguration: String?
  public var clients: [ClientStatus]
  /// Whether any device saw traffic within the last 1.5 s.
  public var trafficActive: Bool
  /// The latest operation, for people; empty if there was none.
  public var lastActivity: String

  /// What counts for clients: the first that is on, else the first.
  public var radio: RadioStatus {
    radios.first { $0.state == .poweredOn } ?? radios.first ?? RadioStatus(kind: "off", state: .poweredOff)
  }

  public init(
    serverVersion: String, protocolVersion: Int = ProtocolVersion.current, uptime: Double, socketPath: String,
    policy: String, radios: [RadioStatus], mode: RadioMode, serving: String, notice: String? = nil,
    mockConfiguration: String? = nil, clients: [ClientStatus], trafficActive: Bool, lastActivity: String
  ) {
    self.serverVersion = serverVersion
    self.protocolVersion = protocolVersion
    self.uptime = uptime
    self.socketPath = socketPath
    self.policy = policy
    self.radios = radios
    self.mode = mode
    self.serving = serving
    self.notice = notice
    self.mockConfiguration = mockConfiguration
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
    radios = try fields.objects("radios", RadioStatus.init)
    mode = try fields.radioMode("mode")
    serving = try fields.string("serving")
    notice = try fields.optionalString("notice")
    mockConfiguration = try fields.optionalString("mockConfiguration")
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
    writer.key("radios")
    writer.objects(radios)
    writer.field("mode", mode.rawValue)
    writer.field("serving", serving)
    writer.field("notice", notice)
    writer.field("mockConfiguration", mockConfiguration)
    writer.key("clients")
    writer.objects(clients)
    writer.field("trafficActive", trafficActive)
    writer.field("lastActivity", lastActivity)
  }
}
