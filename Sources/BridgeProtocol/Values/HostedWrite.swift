/// One write of a batch that a hosting client is to take as a whole or not at all.
public struct HostedWrite: Hashable, Sendable {
  public var characteristic: Int
  /// Where in the value it begins.
  public var offset: Int
  public var value: [UInt8]

  public init(characteristic: Int, offset: Int = 0, value: [UInt8]) {
    self.characteristic = characteristic
    self.offset = offset
    self.value = value
  }
}

extension HostedWrite: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    characteristic = try fields.int("characteristic")
    offset = try fields.int("offset")
    value = try fields.bytes("value")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("characteristic", characteristic)
    writer.field("offset", offset)
    writer.key("value")
    writer.base64(value)
  }
}
