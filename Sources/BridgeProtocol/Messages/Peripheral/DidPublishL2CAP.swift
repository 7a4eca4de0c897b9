/// The result of `publishL2CAP`.
public struct DidPublishL2CAP: EventBody {
  static let type: StaticString = "didPublishL2CAP"

  /// 0 on failure.
  public var psm: UInt16
  public var error: BluetoothError?

  public init(psm: UInt16, error: BluetoothError? = nil) {
    self.psm = psm
    self.error = error
  }

  init(_ fields: MessageFields) throws(FieldError) {
    psm = UInt16(try fields.int("psm", in: 0...0xFFFF))
    error = try fields.error()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("psm", Int(psm))
    writer.error(error, for: features)
  }
}
