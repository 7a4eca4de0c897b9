/// Answered by `l2capClosed`.
public struct L2CAPClose: RequestBody {
  static let type: StaticString = "l2capClose"

  public var channelId: String

  public init(channelId: String) {
    self.channelId = channelId
  }

  init(_ fields: MessageFields) throws(FieldError) {
    channelId = try fields.string("channelId")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("channelId")
    writer.string(channelId)
  }
}
