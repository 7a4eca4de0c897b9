/// A client that caused traffic.
public struct ActivityClient: Hashable, Sendable {
  public var bundleId: String?
  public var pid: Int?

  public init(bundleId: String?, pid: Int?) {
    self.bundleId = bundleId
    self.pid = pid
  }
}

extension ActivityClient: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    bundleId = try fields.optionalString("bundleId")
    pid = try fields.optionalInt("pid")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("bundleId", bundleId)
    writer.field("pid", pid)
  }
}
