/// Answered by `didPublishService`.
public struct PublishService: RequestBody {
  static let type: StaticString = "publishService"

  public var service: HostedService

  public init(service: HostedService) {
    self.service = service
  }

  init(_ fields: MessageFields) throws(FieldError) {
    guard let object = try fields.object("service") else { throw FieldError("service", .missing) }
    do { service = try HostedService(object) } catch { throw error.inside("service") }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("service")
    writer.object(service)
  }
}
