/// Drops the client's virtual devices. Not answered.
public struct ClearMockConfiguration: RequestBody {
  static let type: StaticString = "clearMockConfiguration"

  public init() {}

  init(_ fields: MessageFields) throws(FieldError) {}

  func write(to writer: inout JSONWriter) {}
}
