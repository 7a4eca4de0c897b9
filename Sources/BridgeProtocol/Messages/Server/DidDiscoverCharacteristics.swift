/// The result of `discoverCharacteristics`.
public struct DidDiscoverCharacteristics: EventBody {
  static let type: StaticString = "didDiscoverCharacteristics"

  public var id: PeripheralIdentifier
  public var serviceId: String
  public var characteristics: [DiscoveredCharacteristic]
  public var error: BluetoothError?

  public init(
    id: PeripheralIdentifier, serviceId: String, characteristics: [DiscoveredCharacteristic],
    error: BluetoothError? = nil
  ) {
    self.id = id
    self.serviceId = serviceId
    self.characteristics = characteristics
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    serviceId = try fields.string("serviceId")
    characteristics = try fields.objects("characteristics", DiscoveredCharacteristic.init)
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("serviceId")
    writer.string(serviceId)
    writer.key("characteristics")
    writer.objects(characteristics)
    writer.error(error, for: features)
  }
}
