public import BridgeProtocol

/// A service as a virtual peripheral declares it; values are not part of it.
public struct VirtualService: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  /// Positions in the peripheral's list of services.
  public var includedServices: [Int]
  public var characteristics: [VirtualCharacteristic]

  public init(
    uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [Int] = [],
    characteristics: [VirtualCharacteristic] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}

/// A characteristic as a virtual peripheral declares it.
public struct VirtualCharacteristic: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties
  public var readSecurity: MockSecurityLevel
  public var writeSecurity: MockSecurityLevel
  public var notifySecurity: MockSecurityLevel
  /// Bytes that a write may have.
  public var maximumLength: Int
  public var descriptors: [VirtualDescriptor]

  public init(
    uuid: BluetoothUUID, properties: CharacteristicProperties, readSecurity: MockSecurityLevel = .none,
    writeSecurity: MockSecurityLevel = .none, notifySecurity: MockSecurityLevel = .none,
    maximumLength: Int = ProtocolLimits.maximumValueLength, descriptors: [VirtualDescriptor] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.readSecurity = readSecurity
    self.writeSecurity = writeSecurity
    self.notifySecurity = notifySecurity
    self.maximumLength = maximumLength
    self.descriptors = descriptors
  }
}

/// A descriptor as a virtual peripheral declares it. That of the client's configuration, 2902, belongs to the radio.
public struct VirtualDescriptor: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var isWritable: Bool

  public init(uuid: BluetoothUUID, isWritable: Bool = false) {
    self.uuid = uuid
    self.isWritable = isWritable
  }
}

extension BluetoothUUID {
  static let genericAccess = BluetoothUUID(short: 0x1800)
  static let genericAttribute = BluetoothUUID(short: 0x1801)
  static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}

extension CharacteristicProperties {
  static let subscribable: Self = [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired]
  static let notifying: Self = [.notify, .notifyEncryptionRequired]
}
