public import BridgeProtocol

/// A 16-bit attribute handle: of a service, of a characteristic's declaration, or of a descriptor.
public typealias AttributeHandle = UInt16

/// A peripheral's services in handle order, as CoreBluetooth shows them: 1800 and 1801 hidden, secondary services
/// included because includes lead to them.
public struct GATTDatabase: Hashable, Sendable {
  public var services: [GATTService]
  public init(services: [GATTService]) { self.services = services }
}

public struct GATTService: Hashable, Sendable {
  public var handle: AttributeHandle
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  /// Handles of included services, all of them in the same database.
  public var includedServices: [AttributeHandle]
  public var characteristics: [GATTCharacteristic]

  public init(
    handle: AttributeHandle, uuid: BluetoothUUID, isPrimary: Bool, includedServices: [AttributeHandle] = [],
    characteristics: [GATTCharacteristic] = []
  ) {
    self.handle = handle
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}

public struct GATTCharacteristic: Hashable, Sendable {
  public var handle: AttributeHandle
  public var uuid: BluetoothUUID
  public var properties: CharacteristicProperties
  public var descriptors: [GATTDescriptor]

  public init(
    handle: AttributeHandle, uuid: BluetoothUUID, properties: CharacteristicProperties,
    descriptors: [GATTDescriptor] = []
  ) {
    self.handle = handle
    self.uuid = uuid
    self.properties = properties
    self.descriptors = descriptors
  }
}

public struct GATTDescriptor: Hashable, Sendable {
  public var handle: AttributeHandle
  public var uuid: BluetoothUUID
  public init(handle: AttributeHandle, uuid: BluetoothUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}
