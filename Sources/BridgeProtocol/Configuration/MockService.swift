/// A service of a virtual device.
public struct MockService: Hashable, Sendable, ConfigurationElement {
  public var id = MockIdentifier.none
  public var uuid = BluetoothUUID(short: 0x180A)
  public var isPrimary = true
  public var characteristics: [MockCharacteristic] = []
  /// The `id`s of services of the same device.
  public var includedServices: [MockIdentifier] = []
  public var behavior: MockBehavior<ServiceBehavior>?
  var origin = ConfigurationOrigin()

  init() {}

  public init(
    id: MockIdentifier = .none, uuid: BluetoothUUID, isPrimary: Bool = true,
    characteristics: [MockCharacteristic] = [], includedServices: [MockIdentifier] = []
  ) {
    self.id = id
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.characteristics = characteristics
    self.includedServices = includedServices
  }

  static let fields: [ConfigurationField<MockService>] = [
    .init("id", \.id, .identifier), .init("uuid", \.uuid, .uuid, .required),
    .init("isPrimary", \.isPrimary, .bool), .init("characteristics", \.characteristics, .elements()),
    .init("includedServices", \.includedServices, .list(of: .identifier), .optional),
    .init("behavior", optional: \.behavior, .behavior()),
  ]
}
