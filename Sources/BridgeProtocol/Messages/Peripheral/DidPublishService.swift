/// The result of `publishService`.
public struct DidPublishService: EventBody {
  static let type: StaticString = "didPublishService"

  public var service: Int
  public var error: BluetoothError?

  public init(service: Int, error: BluetoothError? = nil) {
    self.service = service
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    service = try fields.int("service")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("service", service)
    writer.error(error, for: features)
  }
}
