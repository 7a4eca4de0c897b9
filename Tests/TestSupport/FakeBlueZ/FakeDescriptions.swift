/// What a fake peripheral sends about itself, and the attributes it has.
public struct FakeAdvertisement: Hashable, Sendable {
  public var name: String?
  /// Any spelling; 4 digits are expanded.
  public var uuids: [String]
  public var manufacturerData: [UInt16: [UInt8]]
  public var serviceData: [String: [UInt8]]
  public var txPower: Int16?
  public var flags: [UInt8]?
  public var rssi: Int16

  public init(
    name: String? = nil, uuids: [String] = [], manufacturerData: [UInt16: [UInt8]] = [:],
    serviceData: [String: [UInt8]] = [:], txPower: Int16? = nil, flags: [UInt8]? = [0x06], rssi: Int16 = -50
  ) {
    self.name = name
    self.uuids = uuids
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPower = txPower
    self.flags = flags
    self.rssi = rssi
  }
}

public struct FakeServiceDescription: Hashable, Sendable {
  public var uuid: String
  /// nil: the next free one.
  public var handle: UInt16?
  public var isPrimary: Bool
  /// Handles of included services.
  public var includes: [UInt16]
  public var characteristics: [FakeCharacteristicDescription]

  public init(
    _ uuid: String, handle: UInt16? = nil, isPrimary: Bool = true, includes: [UInt16] = [],
    _ characteristics: [FakeCharacteristicDescription] = []
  ) {
    self.uuid = uuid
    self.handle = handle
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
  }
}

public struct FakeCharacteristicDescription: Hashable, Sendable {
  public var uuid: String
  /// Of the declaration; nil: the next free one.
  public var handle: UInt16?
  /// BlueZ's words: `read`, `write-without-response`, `write`, `notify`, `indicate`…
  public var flags: [String]
  public var value: [UInt8]
  /// Besides 2902, which is there with `notify` or `indicate`.
  public var descriptors: [FakeDescriptorDescription]
  /// Whether reading and writing need a paired device.
  public var isProtected: Bool

  public init(
    _ uuid: String, handle: UInt16? = nil, _ flags: [String], value: [UInt8] = [],
    descriptors: [FakeDescriptorDescription] = [], isProtected: Bool = false
  ) {
    self.uuid = uuid
    self.handle = handle
    self.flags = flags
    self.value = value
    self.descriptors = descriptors
    self.isProtected = isProtected
  }
}

public struct FakeDescriptorDescription: Hashable, Sendable {
  public var uuid: String
  public var value: [UInt8]
  public init(_ uuid: String, value: [UInt8] = []) {
    self.uuid = uuid
    self.value = value
  }
}

/// A UUID as bluetoothd prints it: 128 bits, lower case.
public func bluezUUID(_ text: String) -> String {
  let text = text.lowercased()
  switch text.utf8.count {
  case 4: return "0000\(text)-0000-1000-8000-00805f9b34fb"
  case 8: return "\(text)-0000-1000-8000-00805f9b34fb"
  default: return text
  }
}
