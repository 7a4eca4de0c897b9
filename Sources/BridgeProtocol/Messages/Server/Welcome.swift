/// The answer to a hello with `features`: who serves, and what is granted.
public struct Welcome: EventBody {
  static let type: StaticString = "welcome"

  public var serverVersion: String
  /// See `ProtocolVersion`.
  public var protocolVersion: Int
  public var features: Features
  /// What is served: a `ServedMode`.
  public var mode: String
  public var state: AdapterState

  public init(
    serverVersion: String, protocolVersion: Int = ProtocolVersion.current, features: Features, mode: String,
    state: AdapterState
  ) {
    self.serverVersion = serverVersion
    self.protocolVersion = protocolVersion
    self.features = features
    self.mode = mode
    self.state = state
  }

  init(_ fields: MessageFields) throws(FieldError) {
    serverVersion = try fields.string("serverVersion")
    protocolVersion = try fields.int("protocolVersion")
    features = Features(names: try fields.strings("features"))
    mode = try fields.string("mode")
    state = try fields.adapterState("state")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("serverVersion")
    writer.string(serverVersion)
    writer.key("protocolVersion")
    writer.int(protocolVersion)
    writer.key("features")
    writer.strings(self.features.names)
    writer.key("mode")
    writer.string(mode)
    writer.key("state")
    writer.string(state.name)
  }
}
