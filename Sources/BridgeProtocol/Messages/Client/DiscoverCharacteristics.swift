/// Answered by `didDiscoverCharacteristics`.
public struct DiscoverCharacteristics: RequestBody {
  static let type: StaticString = "discoverCharacteristics"

  public var id: PeripheralIdentifier
  public var serviceId: String
  /// Empty for all.
  public var characteristics: [BluetoothUUID]

  public init(id: PeripheralIdentifier, serviceId: String, characteristics: [BluetoothUUID] = []) {
    self.id = id
    self.serviceId = serviceId
    self.characteristics = characteristics
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "serviceId")
    serviceId = try fields.string("serviceId")
    characteristics = try fields.uuids("characteristics")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("serviceId")
    writer.string(serviceId)
    writer.key("characteristics")
    writer.uuids(characteristics)
  }
}
