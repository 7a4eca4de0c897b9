/// The largest value of a single write became known or changed. Feature `mtu`.
public struct DidUpdateMTU: EventBody {
  static let type: StaticString = "didUpdateMTU"

  public var id: PeripheralIdentifier
  /// Of a write without response, in bytes: ATT MTU - 3.
  public var maximumWriteValueLength: Int

  public init(id: PeripheralIdentifier, maximumWriteValueLength: Int) {
    self.id = id
    self.maximumWriteValueLength = maximumWriteValueLength
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    maximumWriteValueLength = try fields.int("maximumWriteValueLength")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("maximumWriteValueLength")
    writer.int(maximumWriteValueLength)
  }
}
