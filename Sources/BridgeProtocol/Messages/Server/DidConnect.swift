/// A connection stands.
public struct DidConnect: EventBody {
  static let type: StaticString = "didConnect"

  public var id: PeripheralIdentifier

  public init(id: PeripheralIdentifier) {
    self.id = id
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
  }
}
