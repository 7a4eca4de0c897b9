/// Asks for peripherals without a scan; answered by `didRetrievePeripherals`. Feature `retrieve`.
public struct RetrievePeripherals: RequestBody {
  static let type: StaticString = "retrievePeripherals"

  /// Repeated in the answer.
  public var requestId: Int
  /// Those that the host knows of these, in this order.
  public var peripheralIds: [PeripheralIdentifier]
  /// Those connected to the host, by anyone, with any of these services.
  public var connectedWithServices: [BluetoothUUID]

  public init(
    requestId: Int, peripheralIds: [PeripheralIdentifier] = [], connectedWithServices: [BluetoothUUID] = []
  ) {
    self.requestId = requestId
    self.peripheralIds = peripheralIds
    self.connectedWithServices = connectedWithServices
  }

  init(_ fields: MessageFields) throws(FieldError) {
    requestId = try fields.int("requestId")
    peripheralIds = try fields.peripherals("peripheralIds")
    connectedWithServices = try fields.uuids("connectedWithServices")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("requestId", requestId)
    writer.key("peripheralIds")
    writer.peripherals(peripheralIds)
    writer.key("connectedWithServices")
    writer.uuids(connectedWithServices)
  }
}
