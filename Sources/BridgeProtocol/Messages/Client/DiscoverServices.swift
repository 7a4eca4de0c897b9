/// Answered by `didDiscoverServices`.
public struct DiscoverServices: RequestBody {
  static let type: StaticString = "discoverServices"

  public var id: PeripheralIdentifier
  /// Empty for all.
  public var services: [BluetoothUUID]

  public init(id: PeripheralIdentifier, services: [BluetoothUUID] = []) {
    self.id = id
    self.services = services
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    services = try fields.uuids("services")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("services")
    writer.uuids(services)
  }
}
