/// A central reads; to be answered by `respond`.
public struct DidReceiveRead: EventBody {
  static let type: StaticString = "didReceiveRead"

  public var request: Int
  public var central: HostedCentral
  public var characteristic: Int
  /// Where in the value it begins.
  public var offset: Int

  public init(request: Int, central: HostedCentral, characteristic: Int, offset: Int) {
    self.request = request
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
  }

  init(_ fields: MessageFields) throws(FieldError) {
    request = try fields.int("request")
    central = try fields.central()
    characteristic = try fields.int("characteristic")
    offset = try fields.int("offset")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("request", request)
    writer.central(central)
    writer.field("characteristic", characteristic)
    writer.field("offset", offset)
  }
}
