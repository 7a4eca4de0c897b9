/// Notifies or indicates a value; answered by `didUpdateSubscribers`.
public struct UpdateSubscribers: RequestBody {
  static let type: StaticString = "updateSubscribers"

  /// Given by the client, to tell the answer by.
  public var update: Int
  public var characteristic: Int
  /// What is longer than a central takes is cut.
  public var value: [UInt8]
  /// nil for all that have subscribed.
  public var centrals: [PeripheralIdentifier]?

  public init(update: Int, characteristic: Int, value: [UInt8], centrals: [PeripheralIdentifier]? = nil) {
    self.update = update
    self.characteristic = characteristic
    self.value = value
    self.centrals = centrals
  }

  init(_ fields: MessageFields) throws(FieldError) {
    update = try fields.int("update")
    characteristic = try fields.int("characteristic")
    value = try fields.attributeValue("value")
    centrals = fields.item("centrals") == nil ? nil : try fields.peripherals("centrals")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("update", update)
    writer.field("characteristic", characteristic)
    writer.key("value")
    writer.base64(value)
    if let centrals {
      writer.key("centrals")
      writer.peripherals(centrals)
    }
  }
}
