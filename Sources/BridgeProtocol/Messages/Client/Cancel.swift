/// Withdraws a connect or lets go of a connection; always answered by `didDisconnect` without error.
public struct Cancel: RequestBody {
  static let type: StaticString = "cancel"

  public var id: PeripheralIdentifier

  public init(id: PeripheralIdentifier) {
    self.id = id
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
  }
}
