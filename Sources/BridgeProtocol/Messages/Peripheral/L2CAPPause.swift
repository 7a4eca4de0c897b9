/// Stops or resumes what comes over a channel; what is on its way comes all the same. Not answered.
public struct L2CAPPause: RequestBody {
  static let type: StaticString = "l2capPause"

  public var channelId: String
  public var paused: Bool

  public init(channelId: String, paused: Bool) {
    self.channelId = channelId
    self.paused = paused
  }

  init(_ fields: MessageFields) throws(FieldError) {
    channelId = try fields.string("channelId")
    paused = try fields.bool("paused")
  }

  func write(to writer: inout JSONWriter) {
    writer.key("channelId")
    writer.string(channelId)
    writer.field("paused", paused)
  }
}
