/// Ends the client's scan. Not answered.
public struct StopScan: RequestBody {
  static let type: StaticString = "stopScan"

  public init() {}

  init(_ fields: MessageFields) throws(FieldError) {}

  func write(to writer: inout JSONWriter) {}
}
