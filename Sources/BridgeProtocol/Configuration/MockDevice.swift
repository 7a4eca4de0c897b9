/// A virtual peripheral as ImpossiBLE's format describes it, with our additions.
public struct MockDevice: Hashable, Sendable, ConfigurationElement {
  /// The peripheral's identifier on the wire.
  public var id = PeripheralIdentifier.none
  public var name = "Mock Device"
  /// dBm.
  public var rssi = -50
  public var isConnectable = true
  /// Whether scans see it; it can be connected to all the same.
  public var isEnabled = true
  public var advertisedServiceUUIDs: [BluetoothUUID] = []
  public var manufacturerData: [UInt8]?
  public var pairingMode = MockPairingMode.none
  /// Six digits; empty for any six.
  public var passkey = ""
  /// What is typed when it shows its passkey; nil for what the service says of all devices.
  public var passkeyEntry: PasskeyEntry?
  public var services: [MockService] = []
  /// What it calls itself on air; nil for `name`, empty for nothing.
  public var localName: String?
  public var serviceData: [BluetoothUUID: [UInt8]] = [:]
  /// dBm.
  public var txPower: Int?
  public var solicitedServiceUUIDs: [BluetoothUUID] = []
  public var overflowServiceUUIDs: [BluetoothUUID] = []
  /// The ATT MTU that it agrees to.
  public var mtu: Int?
  public var l2cap: [MockL2CAPService] = []
  public var behavior: MockBehavior<DeviceBehavior>?
  var origin = ConfigurationOrigin()

  init() {}

  public init(id: PeripheralIdentifier, name: String, services: [MockService] = []) {
    self.id = id
    self.name = name
    self.services = services
  }

  static let fields: [ConfigurationField<MockDevice>] = [
    .init("id", \.id, .peripheral), .init("name", \.name, .string), .init("rssi", \.rssi, .int),
    .init("isConnectable", \.isConnectable, .bool), .init("isEnabled", \.isEnabled, .bool),
    .init("advertisedServiceUUIDs", \.advertisedServiceUUIDs, .list(of: .uuid)),
    .init("manufacturerData", optional: \.manufacturerData, .bytes),
    .init("pairingMode", \.pairingMode, .number), .init("passkey", \.passkey, .string),
    .init("services", \.services, .elements()), .init("localName", optional: \.localName, .string),
    .init("serviceData", \.serviceData, .bytesByUUID, .optional),
    .init("txPower", optional: \.txPower, .int(in: -127...127)),
    .init("solicitedServiceUUIDs", \.solicitedServiceUUIDs, .list(of: .uuid), .optional),
    .init("overflowServiceUUIDs", \.overflowServiceUUIDs, .list(of: .uuid), .optional),
    .init("mtu", optional: \.mtu, .int(in: 23...517)), .init("l2cap", \.l2cap, .elements(), .optional),
    .init("passkeyEntry", optional: \.passkeyEntry, .passkeyEntry),
    .init("behavior", optional: \.behavior, .behavior()),
  ]

  mutating func complete(from item: JSONItem, _ context: ConfigurationContext) {
    if attributeCount > MockDevice.maximumAttributes {
      context.report("more attributes than there are handles", path: "services", at: item)
    }
    for (index, service) in l2cap.enumerated() where l2cap[..<index].contains(where: { $0.psm == service.psm }) {
      context.warn("the PSM is declared before", path: "l2cap[\(index)].psm", at: item)
    }
    if pairingMode == .passkey, !MockDevice.isPasskey(passkey), context.mode == .lenient {
      let reason = passkey.isEmpty ? "empty: any six digits will do" : "not six digits"
      context.warn(reason, path: "passkey", at: item)
    }
    let known = Set(services.map(\.id))
    for (index, service) in services.enumerated() {
      for (position, id) in service.includedServices.enumerated() where id == .none || !known.contains(id) {
        context.report(
          "no service of this device", path: "services[\(index)].includedServices[\(position)]", at: item)
      }
    }
  }

  /// What the attribute table takes, the services that every device has included.
  var attributeCount: Int {
    services.reduce(16) { count, service in
      service.characteristics.reduce(count + 1 + service.includedServices.count) {
        // One more where the device has to have a 2902 that the file does not list.
        $0 + 3 + $1.descriptors.count
      }
    }
  }

  static let maximumAttributes = 0xFFFF

  /// Six digits.
  public static func isPasskey(_ text: String) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
