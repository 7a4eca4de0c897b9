/// A link of this host to a peripheral came or went, whoever made it. For clients that registered.
public struct ConnectionEvent: EventBody {
  static let type: StaticString = "connectionEvent"

  public var id: PeripheralIdentifier
  /// On the wire 1, or 0 for a link that went, as Apple's `CBConnectionEvent`.
  public var isConnected: Bool

  public init(id: PeripheralIdentifier, isConnected: Bool) {
    self.id = id
    self.isConnected = isConnected
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    isConnected = try fields.int("event", in: 0...1) == 1
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("event")
    writer.int(isConnected ? 1 : 0)
  }
}
