/// The answer to `retrievePeripherals`. Feature `retrieve`.
public struct DidRetrievePeripherals: EventBody {
  static let type: StaticString = "didRetrievePeripherals"

  public var requestId: Int
  public var peripherals: [RetrievedPeripheral]

  public init(requestId: Int, peripherals: [RetrievedPeripheral]) {
    self.requestId = requestId
    self.peripherals = peripherals
  }

  init(_ fields: MessageFields) throws(FieldError) {
    requestId = try fields.int("requestId")
    peripherals = try fields.objects("peripherals", RetrievedPeripheral.init)
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("requestId", requestId)
    writer.key("peripherals")
    writer.objects(peripherals)
  }
}

/// A peripheral that the host knows.
public struct RetrievedPeripheral: Hashable, Sendable {
  public var id: PeripheralIdentifier
  /// Empty if there is none.
  public var name: String

  public init(id: PeripheralIdentifier, name: String) {
    self.id = id
    self.name = name
  }
}

extension RetrievedPeripheral: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    name = try fields.optionalString("name") ?? ""
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("name")
    writer.string(name)
  }
}
