/// The result of `startAdvertising`.
public struct DidStartAdvertising: EventBody {
  static let type: StaticString = "didStartAdvertising"

  public var error: BluetoothError?

  public init(error: BluetoothError? = nil) {
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.error(error, for: features)
  }
}
