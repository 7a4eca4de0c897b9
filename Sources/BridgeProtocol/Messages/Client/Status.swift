/// Asks for the service's status; answered by `didReportStatus`. Feature `control`.
public struct Status: RequestBody {
  static let type: StaticString = "status"

  public init() {}

  init(_ fields: MessageFields) throws(FieldError) {}

  func write(to writer: inout JSONWriter) {}
}
