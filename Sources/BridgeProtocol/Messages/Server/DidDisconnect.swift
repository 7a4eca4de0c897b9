/// The end of a connection, or of a pending connect.
public struct DidDisconnect: EventBody {
  static let type: StaticString = "didDisconnect"

  public var id: PeripheralIdentifier
  /// Nil if it was asked for.
  public var error: BluetoothError?
  /// Seconds since 2001-01-01 00:00 UTC, Apple's reference date; nil leaves the time to the client.
  public var timestamp: Double?
  public var isReconnecting: Bool

  public init(
    id: PeripheralIdentifier, error: BluetoothError? = nil, timestamp: Double? = nil, isReconnecting: Bool = false
  ) {
    self.id = id
    self.error = error
    self.timestamp = timestamp
    self.isReconnecting = isReconnecting
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    error = try fields.error()
    timestamp = try fields.optionalDouble("timestamp")
    isReconnecting = try fields.bool("isReconnecting", default: false)
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.error(error, for: features)
    if let timestamp {
      writer.key("timestamp")
      writer.double(timestamp)
    }
    writer.key("isReconnecting")
    writer.bool(isReconnecting)
  }

  /// Apple's time of a Unix time, both in seconds.
  public static func timestamp(unixTime: Double) -> Double { unixTime - 978_307_200 }
}
