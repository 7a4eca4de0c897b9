/// The result of `openL2CAP`.
public struct DidOpenL2CAP: EventBody {
  static let type: StaticString = "didOpenL2CAP"

  public var id: PeripheralIdentifier
  /// `<peripheral>:<psm>:<anything>`; empty on failure.
  public var channelId: String
  public var psm: Int
  public var error: BluetoothError?

  public init(id: PeripheralIdentifier, channelId: String, psm: Int, error: BluetoothError? = nil) {
    self.id = id
    self.channelId = channelId
    self.psm = psm
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    channelId = try fields.string("channelId")
    psm = try fields.int("psm")
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("channelId")
    writer.string(channelId)
    writer.key("psm")
    writer.int(psm)
    writer.error(error, for: features)
  }
}
