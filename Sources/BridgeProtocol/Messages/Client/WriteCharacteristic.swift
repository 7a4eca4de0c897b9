/// Writes a characteristic's value; answered by `didWriteValue`, but not if written without response.
public struct WriteCharacteristic: RequestBody {
  static let type: StaticString = "write"

  public enum WriteType: Int, Sendable {
    case withResponse = 0
    case withoutResponse = 1
  }

  public var id: PeripheralIdentifier
  public var characteristicId: String
  /// Not checked against `ProtocolLimits.maximumValueLength`.
  public var value: [UInt8]
  public var writeType: WriteType

  public init(id: PeripheralIdentifier, characteristicId: String, value: [UInt8], writeType: WriteType) {
    self.id = id
    self.characteristicId = characteristicId
    self.value = value
    self.writeType = writeType
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "characteristicId")
    characteristicId = try fields.string("characteristicId")
    value = try fields.bytes("value")
    let number = fields.item("writeType") == nil ? 0 : try fields.int("writeType")
    guard let type = WriteType(rawValue: number) else { throw FieldError("writeType", .outOfRange) }
    writeType = type
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.key("value")
    writer.base64(value)
    writer.key("writeType")
    writer.int(writeType.rawValue)
  }
}
