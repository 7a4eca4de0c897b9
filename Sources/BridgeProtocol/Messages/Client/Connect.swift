/// Wants a connection; answered by `didConnect` or `didFailConnect`, however late.
public struct Connect: RequestBody {
  static let type: StaticString = "connect"

  public var id: PeripheralIdentifier
  /// The app's own dictionary, `kCBConnectOption…` keys and others.
  public var options: [String: JSONValue]

  public init(id: PeripheralIdentifier, options: [String: JSONValue] = [:]) {
    self.id = id
    self.options = options
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    options = try fields.tree("options") ?? [:]
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("options")
    writer.object(options)
  }
}
