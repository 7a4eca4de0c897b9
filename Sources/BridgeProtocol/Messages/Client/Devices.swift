/// Asks for the record of traffic; answered by `didReportDevices`. Feature `control`.
public struct Devices: RequestBody {
  static let type: StaticString = "devices"

  /// Further `didReportDevices` whenever the record changes.
  public var watch: Bool

  public init(watch: Bool = false) {
    self.watch = watch
  }

  init(_ fields: MessageFields) throws(FieldError) {
    watch = try fields.bool("watch", default: false)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("watch")
    writer.bool(watch)
  }
}
