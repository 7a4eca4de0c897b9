/// Trying to connect has ended without a connection.
public struct DidFailConnect: EventBody {
  static let type: StaticString = "didFailConnect"

  public var id: PeripheralIdentifier
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, error: BluetoothError? = nil) {
    self.id = id
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.error(error, for: features)
  }
}
