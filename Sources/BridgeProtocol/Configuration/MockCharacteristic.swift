/// A characteristic of a virtual service.
public struct MockCharacteristic: Hashable, Sendable, ConfigurationElement {
  public var id = MockIdentifier.none
  public var uuid = BluetoothUUID(short: 0x2A00)
  public var properties: CharacteristicProperties = .read
  /// For reading and writing, unless told apart below; ImpossiBLE knows 0 and 1.
  public var securityLevel = MockSecurityLevel.none
  public var descriptors: [MockDescriptor] = []
  /// nil reads as empty.
  public var value: [UInt8]?
  public var readSecurity: MockSecurityLevel?
  public var writeSecurity: MockSecurityLevel?
  /// For subscribing; `securityLevel` does not count here, the properties 0x100 and 0x200 do.
  public var notifySecurity: MockSecurityLevel?
  public var valueLifetime = MockValueLifetime.untilTeardown
  /// Bytes that a write may have.
  public var maximumLength = ProtocolLimits.maximumValueLength
  public var behavior: MockBehavior<CharacteristicBehavior>?
  var origin = ConfigurationOrigin()

  init() {}

  public init(
    id: MockIdentifier = .none, uuid: BluetoothUUID, properties: CharacteristicProperties,
    securityLevel: MockSecurityLevel = .none, descriptors: [MockDescriptor] = [], value: [UInt8]? = nil
  ) {
    self.id = id
    self.uuid = uuid
    self.properties = properties
    self.securityLevel = securityLevel
    self.descriptors = descriptors
    self.value = value
  }

  static let fields: [ConfigurationField<MockCharacteristic>] = [
    .init("id", \.id, .identifier), .init("uuid", \.uuid, .uuid, .required),
    .init("properties", \.properties, .properties), .init("securityLevel", \.securityLevel, .securityLevel),
    .init("value", optional: \.value, .attributeValue), .init("descriptors", \.descriptors, .elements()),
    .init("readSecurity", optional: \.readSecurity, .number),
    .init("writeSecurity", optional: \.writeSecurity, .number),
    .init("notifySecurity", optional: \.notifySecurity, .number),
    .init("valueLifetime", \.valueLifetime, .name(of: MockValueLifetime.allCases), .optional),
    .init("maximumLength", \.maximumLength, .int(in: 0...ProtocolLimits.maximumValueLength), .optional),
    .init("behavior", optional: \.behavior, .behavior()),
  ]
}

extension FieldCodec where Value == MockSecurityLevel {
  /// ImpossiBLE's key: an upload with a number that it does not know is refused, as there.
  fileprivate static let securityLevel = FieldCodec(
    read: { item, context in
      let level = number.read(item, context)
      if level == .authentication, context.mode == .strict {
        context.report(.outOfRange, at: item)
        return nil
      }
      return level
    },
    write: { $1.json.int($0.rawValue) })
}
