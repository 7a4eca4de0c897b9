/// Answered by `didOpenL2CAP`.
public struct OpenL2CAP: RequestBody {
  static let type: StaticString = "openL2CAP"

  public var id: PeripheralIdentifier
  public var psm: UInt16

  public init(id: PeripheralIdentifier, psm: UInt16) {
    self.id = id
    self.psm = psm
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    psm = UInt16(try fields.int("psm", in: 0...0xFFFF))
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("psm")
    writer.int(Int(psm))
  }
}
