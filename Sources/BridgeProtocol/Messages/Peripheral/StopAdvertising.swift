/// Not answered.
public struct StopAdvertising: RequestBody {
  static let type: StaticString = "stopAdvertising"

  public init() {}

  init(_ fields: MessageFields) throws(FieldError) {}

  func write(to writer: inout JSONWriter) {}
}
