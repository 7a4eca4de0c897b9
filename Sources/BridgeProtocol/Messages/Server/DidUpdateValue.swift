/// The result of a read, or a notification: the wire does not tell which.
public struct DidUpdateValue: EventBody {
  static let type: StaticString = "didUpdateValue"

  public var id: PeripheralIdentifier
  public var characteristicId: String
  /// Empty on failure.
  public var value: [UInt8]
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, characteristicId: String, value: [UInt8], error: BluetoothError? = nil) {
    self.id = id
    self.characteristicId = characteristicId
    self.value = value
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    characteristicId = try fields.string("characteristicId")
    value = (try? fields.bytes("value")) ?? []
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.key("value")
    writer.base64(value)
    writer.error(error, .always, for: features)
  }
}
