/// The channel is closed, by whichever side, or there is no such channel.
public struct L2CAPClosed: EventBody {
  static let type: StaticString = "l2capClosed"

  public var channelId: String

  public init(channelId: String) {
    self.channelId = channelId
  }

  init(_ fields: MessageFields) throws(FieldError) {
    channelId = try fields.string("channelId")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("channelId")
    writer.string(channelId)
  }
}
