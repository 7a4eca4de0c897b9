/// What the service is told to serve, and serves. Feature `control`.
public struct DidSetMode: EventBody {
  static let type: StaticString = "didSetMode"

  public var mode: RadioMode
  /// What comes of it now.
  public var serving: String
  /// The name of the configuration chosen for the virtual devices; nil if the service has none.
  public var mockConfiguration: String?
  /// Why the choice was refused, and all is as it was.
  public var error: BluetoothError?

  public init(mode: RadioMode, serving: String, mockConfiguration: String?, error: BluetoothError? = nil) {
    self.mode = mode
    self.serving = serving
    self.mockConfiguration = mockConfiguration
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    mode = try fields.radioMode("mode")
    serving = try fields.string("serving")
    mockConfiguration = try fields.optionalString("mockConfiguration")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("mode", mode.rawValue)
    writer.field("serving", serving)
    writer.field("mockConfiguration", mockConfiguration)
    writer.error(error, for: features)
  }
}
