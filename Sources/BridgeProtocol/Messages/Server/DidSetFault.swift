/// A fault is set, or why not. Feature `control`.
public struct DidSetFault: EventBody {
  static let type: StaticString = "didSetFault"

  /// Names the fault from now on; nil if it is not set.
  public var number: Int?
  /// How often it has struck already: links that stand are struck at once.
  public var applied: Int
  public var error: BluetoothError?

  public init(number: Int?, applied: Int = 0, error: BluetoothError? = nil) {
    self.number = number
    self.applied = applied
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    number = try fields.optionalInt("number")
    applied = try fields.int("applied", in: 0...Int.max, default: 0)
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("number", number)
    writer.field("applied", applied)
    writer.error(error, for: features)
  }
}
