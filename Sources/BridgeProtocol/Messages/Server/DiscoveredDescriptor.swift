/// A descriptor in a discovery's reply.
public struct DiscoveredDescriptor: Hashable, Sendable {
  public var id: String
  public var uuid: BluetoothUUID

  public init(id: String, uuid: BluetoothUUID) {
    self.id = id
    self.uuid = uuid
  }
}

extension DiscoveredDescriptor: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.string("id")
    uuid = try fields.uuid("uuid")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.string(id)
    writer.key("uuid")
    writer.uuid(uuid)
  }
}
