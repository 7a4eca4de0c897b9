/// A characteristic in a discovery's reply.
public struct DiscoveredCharacteristic: Hashable, Sendable {
  public var id: String
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties

  public init(id: String, uuid: BluetoothUUID, properties: CharacteristicProperties) {
    self.id = id
    self.uuid = uuid
    self.properties = properties
  }
}

extension DiscoveredCharacteristic: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.string("id")
    uuid = try fields.uuid("uuid")
    properties = CharacteristicProperties(rawValue: UInt16(truncatingIfNeeded: try fields.int("properties")))
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.string(id)
    writer.key("uuid")
    writer.uuid(uuid)
    writer.key("properties")
    writer.int(Int(properties.rawValue))
  }
}
