/// A service that a client publishes. Clients number their services and characteristics themselves.
public struct HostedService: Hashable, Sendable {
  /// Unique among what the client has published.
  public var id: Int
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  /// Numbers of services published before.
  public var includedServices: [Int]
  public var characteristics: [HostedCharacteristic]

  public init(
    id: Int, uuid: BluetoothUUID, isPrimary: Bool, includedServices: [Int] = [],
    characteristics: [HostedCharacteristic] = []
  ) {
    self.id = id
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}

public struct HostedCharacteristic: Hashable, Sendable {
  /// Unique among all characteristics that the client has published.
  public var id: Int
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties
  public var permissions: AttributePermissions
  /// What every read gets; nil to ask the client.
  public var value: [UInt8]?
  public var descriptors: [HostedDescriptor]

  public init(
    id: Int, uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
    value: [UInt8]? = nil, descriptors: [HostedDescriptor] = []
  ) {
    self.id = id
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.value = value
    self.descriptors = descriptors
  }
}

/// A descriptor that can be read and does not change.
public struct HostedDescriptor: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var value: [UInt8]

  public init(uuid: BluetoothUUID, value: [UInt8]) {
    self.uuid = uuid
    self.value = value
  }
}

extension HostedService: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.int("id", in: 0...Int.max)
    uuid = try fields.uuid("uuid")
    isPrimary = try fields.bool("primary", default: true)
    includedServices = try fields.numbers("includedServices")
    characteristics = try fields.objects("characteristics", HostedCharacteristic.init)
  }

  func write(to writer: inout JSONWriter) {
    writer.field("id", id)
    writer.key("uuid")
    writer.uuid(uuid)
    writer.field("primary", isPrimary)
    writer.key("includedServices")
    writer.numbers(includedServices)
    writer.key("characteristics")
    writer.objects(characteristics)
  }
}

extension HostedCharacteristic: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.int("id", in: 0...Int.max)
    uuid = try fields.uuid("uuid")
    properties = CharacteristicProperties(rawValue: UInt16(try fields.int("properties", in: 0...0xFFFF)))
    permissions = AttributePermissions(rawValue: UInt8(try fields.int("permissions", in: 0...0xFF)))
    value = fields.item("value") == nil ? nil : try fields.attributeValue("value")
    descriptors = try fields.objects("descriptors", HostedDescriptor.init)
  }

  func write(to writer: inout JSONWriter) {
    writer.field("id", id)
    writer.key("uuid")
    writer.uuid(uuid)
    writer.field("properties", Int(properties.rawValue))
    writer.field("permissions", Int(permissions.rawValue))
    if let value {
      writer.key("value")
      writer.base64(value)
    }
    writer.key("descriptors")
    writer.objects(descriptors)
  }
}

extension HostedDescriptor: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    uuid = try fields.uuid("uuid")
    value = try fields.attributeValue("value")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("uuid")
    writer.uuid(uuid)
    writer.key("value")
    writer.base64(value)
  }
}

extension MessageFields {
  /// Numbers that clients gave.
  func numbers(_ key: StaticString) throws(FieldError) -> [Int] {
    try elements(key) { item throws(FieldProblem) in
      guard let number = item.int else { throw .not(.integer) }
      return number
    }
  }

  /// A value that an attribute can have.
  func attributeValue(_ key: StaticString) throws(FieldError) -> [UInt8] {
    let value = try bytes(key)
    guard value.count <= ProtocolLimits.maximumValueLength else { throw FieldError(key, .outOfRange) }
    return value
  }
}

extension JSONWriter {
  mutating func numbers(_ numbers: [Int]) {
    beginArray()
    for number in numbers { int(number) }
    endArray()
  }
}
