/// The result of `setNotify`.
public struct DidUpdateNotification: EventBody {
  static let type: StaticString = "didUpdateNotification"

  public var id: PeripheralIdentifier
  public var characteristicId: String
  /// What holds now, on failure too.
  public var enabled: Bool
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, characteristicId: String, enabled: Bool, error: BluetoothError? = nil) {
    self.id = id
    self.characteristicId = characteristicId
    self.enabled = enabled
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    characteristicId = try fields.string("characteristicId")
    enabled = try fields.bool("enabled")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.key("enabled")
    writer.bool(enabled)
    writer.error(error, for: features)
  }
}
