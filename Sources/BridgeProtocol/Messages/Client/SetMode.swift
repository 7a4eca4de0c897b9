/// Chooses what the service serves; answered by `didSetMode`. What is nil stays as it is. Feature `control`.
public struct SetMode: RequestBody {
  static let type: StaticString = "setMode"

  public var mode: RadioMode?
  /// The name of the configuration whose devices are the virtual ones.
  public var mockConfiguration: String?

  public init(mode: RadioMode? = nil, mockConfiguration: String? = nil) {
    self.mode = mode
    self.mockConfiguration = mockConfiguration
  }

  init(_ fields: MessageFields) throws(FieldError) {
    mode = try fields.item("mode") == nil ? nil : fields.radioMode("mode")
    mockConfiguration = try fields.optionalString("mockConfiguration")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("mode", mode?.rawValue)
    writer.field("mockConfiguration", mockConfiguration)
  }
}
