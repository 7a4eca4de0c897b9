/// Bytes for the device. Answered only by `l2capClosed`, when there is no such channel.
public struct L2CAPWrite: RequestBody {
  static let type: StaticString = "l2capWrite"

  public var channelId: String
  public var value: [UInt8]

  public init(channelId: String, value: [UInt8]) {
    self.channelId = channelId
    self.value = value
  }

  init(_ fields: MessageFields) throws(FieldError) {
    channelId = try fields.string("channelId")
    value = try fields.bytes("value")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("channelId")
    writer.string(channelId)
    writer.key("value")
    writer.base64(value)
  }
}
