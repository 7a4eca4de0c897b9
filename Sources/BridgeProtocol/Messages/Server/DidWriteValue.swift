/// The result of a write with response.
public struct DidWriteValue: EventBody {
  static let type: StaticString = "didWriteValue"

  public var id: PeripheralIdentifier
  public var characteristicId: String
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, characteristicId: String, error: BluetoothError? = nil) {
    self.id = id
    self.characteristicId = characteristicId
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    characteristicId = try fields.string("characteristicId")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.error(error, .always, for: features)
  }
}
