/// The result of `discoverServices`.
public struct DidDiscoverServices: EventBody {
  static let type: StaticString = "didDiscoverServices"

  public var id: PeripheralIdentifier
  public var services: [DiscoveredService]
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, services: [DiscoveredService], error: BluetoothError? = nil) {
    self.id = id
    self.services = services
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    services = try fields.objects("services", DiscoveredService.init)
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("services")
    writer.objects(services)
    writer.error(error, for: features)
  }
}
