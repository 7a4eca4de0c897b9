/// A central as a hosting client is told of it.
public struct HostedCentral: Hashable, Sendable {
  /// Names the central on this host; another than the one under which it would be found as a peripheral.
  public var id: PeripheralIdentifier
  /// Bytes that one notification can carry.
  public var maximumUpdateValueLength: Int

  public init(id: PeripheralIdentifier, maximumUpdateValueLength: Int) {
    self.id = id
    self.maximumUpdateValueLength = maximumUpdateValueLength
  }
}

extension HostedCentral: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    maximumUpdateValueLength = try fields.int("maximumUpdateValueLength")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.field("maximumUpdateValueLength", maximumUpdateValueLength)
  }
}

extension MessageFields {
  func central() throws(FieldError) -> HostedCentral {
    guard let fields = try object("central") else { throw FieldError("central", .missing) }
    do { return try HostedCentral(fields) } catch { throw error.inside("central") }
  }
}

extension JSONWriter {
  mutating func central(_ central: HostedCentral) {
    key("central")
    object(central)
  }
}
