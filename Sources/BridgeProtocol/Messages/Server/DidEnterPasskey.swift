/// A passkey is typed. Feature `control`.
public struct DidEnterPasskey: EventBody {
  static let type: StaticString = "didEnterPasskey"

  /// How many devices have waited for it.
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
