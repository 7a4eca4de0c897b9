/// Replaces the client's virtual devices; answered by `didSetMockConfiguration`.
public struct SetMockConfiguration: RequestBody {
  static let type: StaticString = "setMockConfiguration"

  /// As uploaded, not checked further.
  public var configuration: [String: JSONValue]

  public init(configuration: [String: JSONValue]) { self.configuration = configuration }

  init(_ fields: MessageFields) throws(FieldError) {
    guard let configuration = try fields.tree("configuration") else { throw FieldError("configuration", .missing) }
    self.configuration = configuration
  }

  func write(to writer: inout JSONWriter) {
    writer.key("configuration")
    writer.object(configuration)
  }
}
