/// Asks for the faults that are set; answered by `didReportFaults`. Feature `control`.
public struct Faults: RequestBody {
  static let type: StaticString = "faults"

  public init() {}

  init(_ fields: MessageFields) throws(FieldError) {}

  func write(to writer: inout JSONWriter) {}
}
