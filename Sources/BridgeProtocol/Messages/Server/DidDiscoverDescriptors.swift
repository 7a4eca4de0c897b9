/// The result of `discoverDescriptors`.
public struct DidDiscoverDescriptors: EventBody {
  static let type: StaticString = "didDiscoverDescriptors"

  public var id: PeripheralIdentifier
  public var characteristicId: String
  public var descriptors: [DiscoveredDescriptor]
  public var error: BluetoothError?

  public init(
    id: PeripheralIdentifier, characteristicId: String, descriptors: [DiscoveredDescriptor],
    error: BluetoothError? = nil
  ) {
    self.id = id
    self.characteristicId = characteristicId
    self.descriptors = descriptors
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    characteristicId = try fields.string("characteristicId")
    descriptors = try fields.objects("descriptors", DiscoveredDescriptor.init)
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("characteristicId")
    writer.string(characteristicId)
    writer.key("descriptors")
    writer.objects(descriptors)
    writer.error(error, for: features)
  }
}
