/// Answered by `didReadRSSI`.
public struct ReadRSSI: RequestBody {
  static let type: StaticString = "readRSSI"

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
