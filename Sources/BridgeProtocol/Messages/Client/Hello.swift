/// The first line of ImpossiBLE's clients since 3.0.0; every field may be absent, and so may the message.
/// Answered by `welcome` only if it has `features`.
public struct Hello: RequestBody {
  static let type: StaticString = "hello"

  public var clientVersion: String?
  public var bundleId: String?
  /// The client's own process, as it says.
  public var pid: Int?
  /// The device that the client is on: clients of one device are one central, and do not hear what the device itself
  /// advertises. nil for the client's process.
  public var device: String?
  /// Asks for additions to the wire; nil from clients that know none.
  public var features: [String]?
  /// Names what this client holds, for its next run. Feature `restore`.
  public var restoreIdentifier: String?

  public init(
    clientVersion: String? = nil, bundleId: String? = nil, pid: Int? = nil, device: String? = nil,
    features: [String]? = nil, restoreIdentifier: String? = nil
  ) {
    self.clientVersion = clientVersion
    self.bundleId = bundleId
    self.pid = pid
    self.device = device
    self.features = features
    self.restoreIdentifier = restoreIdentifier
  }

  init(_ fields: MessageFields) throws(FieldError) {
    clientVersion = try fields.optionalString("clientVersion")
    bundleId = try fields.optionalString("bundleId")
    pid = try fields.optionalInt("pid")
    device = try fields.optionalString("device")
    features = fields.item("features") == nil ? nil : try fields.strings("features")
    restoreIdentifier = try fields.optionalString("restoreIdentifier")
  }

  func write(to writer: inout JSONWriter) {
    if let clientVersion {
      writer.key("clientVersion")
      writer.string(clientVersion)
    }
    if let bundleId {
      writer.key("bundleId")
      writer.string(bundleId)
    }
    if let pid {
      writer.key("pid")
      writer.int(pid)
    }
    writer.field("device", device)
    if let features {
      writer.key("features")
      writer.strings(features)
    }
    writer.field("restoreIdentifier", restoreIdentifier)
  }

  /// What the client asks for, as far as this version knows it; nil if it asks for nothing, not even a `welcome`.
  public var requestedFeatures: Features? { features.map(Features.init(names:)) }
}
