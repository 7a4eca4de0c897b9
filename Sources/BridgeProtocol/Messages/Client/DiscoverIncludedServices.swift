/// Answered by `didDiscoverIncludedServices`.
public struct DiscoverIncludedServices: RequestBody {
  static let type: StaticString = "discoverIncludedServices"

  public var id: PeripheralIdentifier
  public var serviceId: String
  /// Empty for all.
  public var services: [BluetoothUUID]

  public init(id: PeripheralIdentifier, serviceId: String, services: [BluetoothUUID] = []) {
    self.id = id
    self.serviceId = serviceId
    self.services = services
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "serviceId")
    serviceId = try fields.string("serviceId")
    services = try fields.uuids("services")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("serviceId")
    writer.string(serviceId)
    writer.key("services")
    writer.uuids(services)
  }
}
