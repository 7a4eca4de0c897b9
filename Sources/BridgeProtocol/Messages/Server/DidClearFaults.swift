/// Faults are taken back. Feature `control`.
public struct DidClearFaults: EventBody {
  static let type: StaticString = "didClearFaults"

  /// How many were set and are not any more.
  public var count: Int
  public var error: BluetoothError?

  public init(count: Int, error: BluetoothError? = nil) {
    self.count = count
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    count = try fields.int("count")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("count", count)
    writer.error(error, for: features)
  }
}
