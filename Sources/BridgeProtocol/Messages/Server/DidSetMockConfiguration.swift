/// Whether the uploaded virtual devices are served now.
public struct DidSetMockConfiguration: EventBody {
  static let type: StaticString = "didSetMockConfiguration"

  /// Why they are refused; nil if they are served.
  public var failure: String?

  public init(failure: String? = nil) { self.failure = failure }

  init(_ fields: MessageFields) throws(FieldError) {
    failure = try fields.bool("ok") ? nil : fields.optionalString("error") ?? ""
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("ok")
    writer.bool(failure == nil)
    if let failure {
      writer.key("error")
      writer.string(failure)
    }
  }
}
