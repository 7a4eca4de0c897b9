/// Wants `connectionEvent`s. Not answered.
public struct RegisterForConnectionEvents: RequestBody {
  static let type: StaticString = "registerForConnectionEvents"

  /// Apple's `CBConnectionEventMatchingOption` keys; UUIDs as text.
  public var options: [String: JSONValue]

  public init(options: [String: JSONValue] = [:]) {
    self.options = options
  }

  init(_ fields: MessageFields) throws(FieldError) {
    options = try fields.tree("options") ?? [:]
  }

  func write(to writer: inout JSONWriter) {
    writer.key("options")
    writer.object(options)
  }
}
