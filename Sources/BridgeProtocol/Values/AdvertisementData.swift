/// What a device advertises, in Apple's terms; absent and empty mean "not advertised".
///
/// - Source: Apple `CBAdvertisementData…Key`; Core Specification Supplement, Part A.
public struct AdvertisementData: Hashable, Sendable {
  public var localName: String?
  public var isConnectable: Bool?
  public var serviceUUIDs: [BluetoothUUID]
  /// Those of `serviceUUIDs` that go out in 128 bits though they have a shorter form: as the app that is the peripheral
  /// spelled them. Of what is heard it says nothing.
  public var longServiceUUIDs: Set<BluetoothUUID> = []
  public var overflowServiceUUIDs: [BluetoothUUID]
  public var solicitedServiceUUIDs: [BluetoothUUID]
  /// With the company identifier in front, little endian, as on air.
  public var manufacturerData: [UInt8]?
  public var serviceData: [BluetoothUUID: [UInt8]]
  /// dBm.
  public var txPowerLevel: Int?

  public init(
    localName: String? = nil, isConnectable: Bool? = nil, serviceUUIDs: [BluetoothUUID] = [],
    overflowServiceUUIDs: [BluetoothUUID] = [], solicitedServiceUUIDs: [BluetoothUUID] = [],
    manufacturerData: [UInt8]? = nil, serviceData: [BluetoothUUID: [UInt8]] = [:], txPowerLevel: Int? = nil
  ) {
    self.localName = localName
    self.isConnectable = isConnectable
    self.serviceUUIDs = serviceUUIDs
    self.overflowServiceUUIDs = overflowServiceUUIDs
    self.solicitedServiceUUIDs = solicitedServiceUUIDs
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPowerLevel = txPowerLevel
  }
}
