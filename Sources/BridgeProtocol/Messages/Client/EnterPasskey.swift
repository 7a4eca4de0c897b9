/// Types the passkey that a virtual device shows and waits for; answered by `didEnterPasskey`. Feature `control`.
public struct EnterPasskey: RequestBody {
  static let type: StaticString = "enterPasskey"

  /// The one device meant; nil for all that wait.
  public var id: PeripheralIdentifier?
  /// Six digits; nil to refuse.
  public var passkey: String?

  public init(id: PeripheralIdentifier? = nil, passkey: String?) {
    self.id = id
    self.passkey = passkey
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.item("id") == nil ? nil : fields.peripheral("id")
    passkey = try fields.optionalString("passkey")
    if let passkey, !MockDevice.isPasskey(passkey) { throw FieldError("passkey", .unsuitable("not six digits")) }
  }

  func write(to writer: inout JSONWriter) {
    if let id {
      writer.key("id")
      writer.peripheral(id)
    }
    writer.field("passkey", passkey)
  }
}
