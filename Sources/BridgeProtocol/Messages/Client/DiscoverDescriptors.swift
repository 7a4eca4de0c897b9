/// Answered by `didDiscoverDescriptors`.
public struct DiscoverDescriptors: RequestBody {
  static let type: StaticString = "discoverDescriptors"

  public var id: PeripheralIdentifier
  public var characteristicId: String

  public init(id: PeripheralIdentifier, characteristicId: String) {
    self.id = id
    self.characteristicId = characteristicId
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "characteristicId")
    characteristicId = try fields.string("characteristicId")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
  }
}
