/// Answers a central's read or write.
public struct RespondToRequest: RequestBody {
  static let type: StaticString = "respond"

  /// That of `didReceiveRead` or `didReceiveWrite`.
  public var request: Int
  /// An ATT error; 0 for success.
  public var result: UInt8
  /// Of a read: the bytes from its offset on.
  public var value: [UInt8]

  public init(request: Int, result: UInt8, value: [UInt8] = []) {
    self.request = request
    self.result = result
    self.value = value
  }

  init(_ fields: MessageFields) throws(FieldError) {
    request = try fields.int("request")
    result = UInt8(try fields.int("result", in: 0...0xFF))
    value = fields.item("value") == nil ? [] : try fields.bytes("value")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("request", request)
    writer.field("result", Int(result))
    writer.key("value")
    writer.base64(value)
  }
}
