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

extension AdvertisementData {
  /// Bytes that the largest advertisement carries.
  ///
  /// - Source: Core Specification Vol 4, Part E, 7.8.54.
  static let maximumLength = 1650

  /// Bytes that the content takes on air, without the lengths and types in front.
  var length: Int {
    let uuids = serviceUUIDs + overflowServiceUUIDs + solicitedServiceUUIDs
    let lists = uuids.reduce(0) { $0 + $1.length }
    let data = serviceData.reduce(manufacturerData?.count ?? 0) { $0 + $1.key.length + $1.value.count }
    return (localName?.utf8.count ?? 0) + lists + data
  }
}

extension BluetoothUUID {
  /// Bytes on air.
  fileprivate var length: Int { short.map { $0 <= 0xFFFF ? 2 : 4 } ?? 16 }
}
