/// Room again for writes without response.
public struct DidReadyToWriteWithoutResponse: EventBody {
  static let type: StaticString = "didReadyToWriteWithoutResponse"

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
