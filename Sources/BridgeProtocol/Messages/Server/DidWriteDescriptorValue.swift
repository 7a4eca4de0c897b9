/// The result of `writeDescriptor`.
public struct DidWriteDescriptorValue: EventBody {
  static let type: StaticString = "didWriteDescriptorValue"

  public var id: PeripheralIdentifier
  public var descriptorId: String
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, descriptorId: String, error: BluetoothError? = nil) {
    self.id = id
    self.descriptorId = descriptorId
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    descriptorId = try fields.string("descriptorId")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("descriptorId")
    writer.string(descriptorId)
    writer.error(error, for: features)
  }
}
