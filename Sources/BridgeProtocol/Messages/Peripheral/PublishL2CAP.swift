/// Answered by `didPublishL2CAP`.
public struct PublishL2CAP: RequestBody {
  static let type: StaticString = "publishL2CAP"

  public var encryptionRequired: Bool

  public init(encryptionRequired: Bool) {
    self.encryptionRequired = encryptionRequired
  }

  init(_ fields: MessageFields) throws(FieldError) {
    encryptionRequired = try fields.bool("encryptionRequired", default: false)
  }

  func write(to writer: inout JSONWriter) {
    writer.field("encryptionRequired", encryptionRequired)
  }
}
