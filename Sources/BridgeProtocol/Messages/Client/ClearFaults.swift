/// Takes faults back; answered by `didClearFaults`. Feature `control`.
public struct ClearFaults: RequestBody {
  static let type: StaticString = "clearFaults"

  /// The one fault meant; nil for all.
  public var number: Int?

  public init(number: Int? = nil) { self.number = number }

  init(_ fields: MessageFields) throws(FieldError) { number = try fields.optionalInt("number") }

  func write(to writer: inout JSONWriter) { writer.field("number", number) }
}
