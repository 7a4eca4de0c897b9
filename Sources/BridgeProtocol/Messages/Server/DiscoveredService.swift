/// A service in a discovery's reply.
public struct DiscoveredService: Hashable, Sendable {
  public var id: String
  public var uuid: BluetoothUUID
  public var isPrimary: Bool

  public init(id: String, uuid: BluetoothUUID, isPrimary: Bool) {
    self.id = id
    self.uuid = uuid
    self.isPrimary = isPrimary
  }
}

extension DiscoveredService: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.string("id")
    uuid = try fields.uuid("uuid")
    isPrimary = try fields.bool("primary", default: false)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.string(id)
    writer.key("uuid")
    writer.uuid(uuid)
    writer.key("primary")
    writer.bool(isPrimary)
  }
}
