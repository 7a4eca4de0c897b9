/// A peripheral has a new name.
public struct DidUpdateName: EventBody {
  static let type: StaticString = "didUpdateName"

  public var id: PeripheralIdentifier
  public var name: String

  public init(id: PeripheralIdentifier, name: String) {
    self.id = id
    self.name = name
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    name = try fields.optionalString("name") ?? ""
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("name")
    writer.string(name)
  }
}
