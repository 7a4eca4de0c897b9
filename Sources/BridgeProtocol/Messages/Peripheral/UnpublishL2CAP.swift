/// Answered by `didUnpublishL2CAP`.
public struct UnpublishL2CAP: RequestBody {
  static let type: StaticString = "unpublishL2CAP"

  public var psm: UInt16

  public init(psm: UInt16) {
    self.psm = psm
  }

  init(_ fields: MessageFields) throws(FieldError) {
    psm = UInt16(try fields.int("psm", in: 0...0xFFFF))
  }

  func write(to writer: inout JSONWriter) {
    writer.field("psm", Int(psm))
  }
}
