/// The radio has taken writes without response, or dropped them. Feature `flow`.
public struct DidTakeWrites: EventBody {
  static let type: StaticString = "didTakeWrites"

  public var id: PeripheralIdentifier
  /// How many since the last such message of this connection.
  public var count: Int

  public init(id: PeripheralIdentifier, count: Int) {
    self.id = id
    self.count = count
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    count = try fields.int("count")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.field("count", count)
  }
}
