/// A link of this host to a peripheral came or went, whoever made it. For clients that registered.
public struct ConnectionEvent: EventBody {
  static let type: StaticString = "connectionEvent"

  public var id: PeripheralIdentifier
  /// On the wire 1, or 0 for a link that went, as Apple's `CBConnectionEvent`.
  public var isConnected: Bool
  /// nil if it is not known, and for clients without the feature `connectionEvents`.
  public var name: String?

  public init(id: PeripheralIdentifier, isConnected: Bool, name: String? = nil) {
    self.id = id
    self.isConnected = isConnected
    self.name = name
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    isConnected = try fields.int("event", in: 0...1) == 1
    name = try fields.optionalString("name")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("event")
    writer.int(isConnected ? 1 : 0)
    if features.contains(.connectionEvents), let name {
      writer.key("name")
      writer.string(name)
    }
  }
}
