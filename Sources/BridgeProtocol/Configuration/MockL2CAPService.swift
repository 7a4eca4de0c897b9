/// A PSM on which a virtual device takes L2CAP channels, and what answers there.
public struct MockL2CAPService: Hashable, Sendable, ConfigurationElement {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Every byte comes back.
    case echo
    /// `data` comes as soon as the channel is open; what the client sends is swallowed.
    case stream
    /// The channel is joined to a Unix socket of this machine; for local files only.
    case socket
  }

  public var psm = 0
  public var kind = Kind.echo
  /// Of a stream: the bytes.
  public var data: [UInt8] = []
  /// Of a stream: bytes sent at once; 0 for all.
  public var chunk = 0
  /// Of a stream: milliseconds between chunks.
  public var interval = 0
  /// Of a stream: whether the device closes the channel at the end.
  public var closesAtEnd = false
  /// Of a socket: its path.
  public var path = ""
  public var security: MockSecurityLevel?
  var origin = ConfigurationOrigin()

  init() {}

  public init(psm: UInt16, kind: Kind) {
    self.psm = Int(psm)
    self.kind = kind
  }

  static let fields: [ConfigurationField<MockL2CAPService>] = [
    .init("psm", \.psm, .int(in: 1...0xFF), .required),
    .init("kind", \.kind, .name(of: Kind.allCases), .required), .init("data", \.data, .bytes, .optional),
    .init("chunk", \.chunk, .int(in: 0...1 << 20), .optional),
    .init("interval", \.interval, .int(in: 0...86_400_000), .optional),
    .init("closesAtEnd", \.closesAtEnd, .bool, .optional), .init("path", \.path, .string, .optional),
    .init("security", optional: \.security, .number),
  ]

  mutating func complete(from item: JSONItem, _ context: ConfigurationContext) {
    guard kind == .socket else { return }
    // A client must not reach other sockets with the service's rights.
    if context.mode == .strict { return context.report("not allowed in an upload", path: "kind", at: item) }
    if path.isEmpty { context.report(FieldProblem.missing.description, path: "path", at: item) }
    if !path.isEmpty { context.name(.socket(path), path: "path", at: item["path"] ?? item) }
    if path.utf8.count > 107 { context.report("too long for a socket", path: "path", at: item) }
  }
}
