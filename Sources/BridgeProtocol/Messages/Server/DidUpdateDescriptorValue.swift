/// The result of `readDescriptor`.
public struct DidUpdateDescriptorValue: EventBody {
  static let type: StaticString = "didUpdateDescriptorValue"

  public var id: PeripheralIdentifier
  public var descriptorId: String
  /// Nil on failure. No bytes and no value look alike on the wire.
  public var value: DescriptorValue?
  public var error: BluetoothError?

  public init(
    id: PeripheralIdentifier, descriptorId: String, value: DescriptorValue?, error: BluetoothError? = nil
  ) {
    self.id = id
    self.descriptorId = descriptorId
    self.value = value
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    descriptorId = try fields.string("descriptorId")
    error = try fields.error()
    if let bytes = try? fields.bytes("valueB64"), !bytes.isEmpty {
      value = .bytes(bytes)
    } else if let item = fields.item("value") {
      value = item.string.map { .text($0) } ?? item.int.map { .number($0) }
    }
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("descriptorId")
    writer.string(descriptorId)
    writer.key("value")
    switch value {
    case .text(let text): writer.string(text)
    case .number(let number): writer.int(number)
    case .bytes, nil: writer.null()
    }
    writer.key("valueB64")
    if case .bytes(let bytes) = value { writer.base64(bytes) } else { writer.string("" as StaticString) }
    writer.error(error, for: features)
  }
}
