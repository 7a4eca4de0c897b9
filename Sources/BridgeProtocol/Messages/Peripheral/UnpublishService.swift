/// Takes a published service back, or all. Not answered.
public struct UnpublishService: RequestBody {
  static let type: StaticString = "unpublishService"

  /// nil for all.
  public var service: Int?

  public init(service: Int? = nil) {
    self.service = service
  }

  init(_ fields: MessageFields) throws(FieldError) {
    service = try fields.optionalInt("service")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("service", service)
  }
}
