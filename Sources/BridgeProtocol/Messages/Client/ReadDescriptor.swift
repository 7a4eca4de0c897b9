/// Answered by `didUpdateDescriptorValue`.
public struct ReadDescriptor: RequestBody {
  static let type: StaticString = "readDescriptor"

  public var id: PeripheralIdentifier
  public var descriptorId: String

  public init(id: PeripheralIdentifier, descriptorId: String) {
    self.id = id
    self.descriptorId = descriptorId
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral(owning: "descriptorId")
    descriptorId = try fields.string("descriptorId")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("descriptorId")
    writer.string(descriptorId)
  }
}
