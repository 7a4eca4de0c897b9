/// Makes the client a peripheral too; answered by `hostingState`, behind `didRestorePeripheral` if something was kept.
public struct HostPeripheral: RequestBody {
  static let type: StaticString = "hostPeripheral"

  /// What was hosted under this name is kept for a time when the client goes.
  public var restoreIdentifier: String?

  public init(restoreIdentifier: String? = nil) {
    self.restoreIdentifier = restoreIdentifier
  }

  init(_ fields: MessageFields) throws(FieldError) {
    restoreIdentifier = try fields.optionalString("restoreIdentifier")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("restoreIdentifier", restoreIdentifier)
  }
}
