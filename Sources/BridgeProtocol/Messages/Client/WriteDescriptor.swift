/// Answered by `didWriteDescriptorValue`.
public struct WriteDescriptor: RequestBody {
  static let type: StaticString = "writeDescriptor"

  public var id: PeripheralIdentifier
  public var descriptorId: String
  /// Not checked against `ProtocolLimits.maximumValueLength`.
  public var value: [UInt8]

  public init(id: PeripheralIdentifier, descriptorId: String, value: [UInt8]) {
    self.id = id
    self.descriptorId = descriptorId
    self.value = value
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "descriptorId")
    descriptorId = try fields.string("descriptorId")
    value = try fields.bytes("value")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("descriptorId")
    writer.string(descriptorId)
    writer.key("value")
    writer.base64(value)
  }
}
