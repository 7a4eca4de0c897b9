/// A descriptor of a virtual characteristic.
public struct MockDescriptor: Hashable, Sendable, ConfigurationElement {
  public var id = MockIdentifier.none
  public var uuid = BluetoothUUID(short: 0x2902)
  /// nil reads as empty.
  public var value: [UInt8]?
  /// Whether clients may write it; nil for what is usual for its UUID.
  public var isWritable: Bool?
  public var behavior: MockBehavior<DescriptorBehavior>?
  var origin = ConfigurationOrigin()

  init() {}

  public init(id: MockIdentifier = .none, uuid: BluetoothUUID, value: [UInt8]? = nil, isWritable: Bool? = nil) {
    self.id = id
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
  }

  static let fields: [ConfigurationField<MockDescriptor>] = [
    .init("id", \.id, .identifier), .init("uuid", \.uuid, .uuid, .required),
    .init("value", optional: \.value, .attributeValue), .init("isWritable", optional: \.isWritable, .bool),
    .init("behavior", optional: \.behavior, .behavior()),
  ]
}
