/// Replaces the client's virtual devices; answered by `didSetMockConfiguration`.
public struct SetMockConfiguration: RequestBody {
  static let type: StaticString = "setMockConfiguration"

  /// A JSON object as uploaded, not checked further: `MockConfiguration(upload:)` reads it.
  public var configuration: JSONText

  public init(configuration: JSONText) { self.configuration = configuration }

  init(_ fields: MessageFields) throws(FieldError) {
    let configuration = try fields.required("configuration")
    guard configuration.kind == .object else { throw FieldError("configuration", .not(.object)) }
    self.configuration = JSONText(copying: configuration)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("configuration")
    configuration.withRoot { writer.copy($0) }
  }
}
