/// Subscribes or unsubscribes; answered by `didUpdateNotification`, values follow as `didUpdateValue`.
public struct SetNotify: RequestBody {
  static let type: StaticString = "setNotify"

  public var id: PeripheralIdentifier
  public var characteristicId: String
  public var enabled: Bool

  public init(id: PeripheralIdentifier, characteristicId: String, enabled: Bool) {
    self.id = id
    self.characteristicId = characteristicId
    self.enabled = enabled
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "characteristicId")
    characteristicId = try fields.string("characteristicId")
    enabled = try fields.bool("enabled")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.key("enabled")
    writer.bool(enabled)
  }
}
