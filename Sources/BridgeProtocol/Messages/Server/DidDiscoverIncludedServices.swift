/// The result of `discoverIncludedServices`.
public struct DidDiscoverIncludedServices: EventBody {
  static let type: StaticString = "didDiscoverIncludedServices"

  public var id: PeripheralIdentifier
  public var serviceId: String
  public var includedServices: [DiscoveredService]
  public var error: BluetoothError?

  public init(
    id: PeripheralIdentifier, serviceId: String, includedServices: [DiscoveredService], error: BluetoothError? = nil
  ) {
    self.id = id
    self.serviceId = serviceId
    self.includedServices = includedServices
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    serviceId = try fields.string("serviceId")
    includedServices = try fields.objects("includedServices", DiscoveredService.init)
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("serviceId")
    writer.string(serviceId)
    writer.key("includedServices")
    writer.objects(includedServices)
    writer.error(error, for: features)
  }
}
