public import BridgeProtocol

/// One received advertisement with all that is known of its sender.
public struct Advertisement: Sendable {
  public var peripheral: PeripheralIdentifier
  /// The cached peripheral name; may differ from `data.localName`.
  public var name: String?
  /// dBm; 127 when not available.
  public var rssi: Int
  public var data: AdvertisementData
  /// Grows whenever `name` or `data` of this peripheral changes: equal numbers mean nothing new.
  public var revision: UInt64
  /// Services that let it through a scan's filter though they are not advertised: a quirk of ImpossiBLE's mock.
  public var matchingServices: [BluetoothUUID] = []

  public init(
    peripheral: PeripheralIdentifier, name: String?, rssi: Int, data: AdvertisementData, revision: UInt64
  ) {
    self.peripheral = peripheral
    self.name = name
    self.rssi = rssi
    self.data = data
    self.revision = revision
  }
}
