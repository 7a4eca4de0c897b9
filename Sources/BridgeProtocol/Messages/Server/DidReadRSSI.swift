/// The result of `readRSSI`.
public struct DidReadRSSI: EventBody {
  static let type: StaticString = "didReadRSSI"

  /// The number for "not available".
  public static let unavailable = 127

  public var id: PeripheralIdentifier
  /// dBm.
  public var rssi: Int
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, rssi: Int, error: BluetoothError? = nil) {
    self.id = id
    self.rssi = rssi
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    rssi = try fields.int("rssi")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("rssi")
    writer.int(rssi)
    writer.error(error, for: features)
  }
}
