/// A central writes; to be answered by one `respond` for all.
public struct DidReceiveWrite: EventBody {
  static let type: StaticString = "didReceiveWrite"

  public var request: Int
  public var central: HostedCentral
  public var writes: [HostedWrite]
  /// Else the answer goes nowhere.
  public var withResponse: Bool

  public init(request: Int, central: HostedCentral, writes: [HostedWrite], withResponse: Bool) {
    self.request = request
    self.central = central
    self.writes = writes
    self.withResponse = withResponse
  }

  init(_ fields: MessageFields) throws(FieldError) {
    request = try fields.int("request")
    central = try fields.central()
    writes = try fields.objects("writes", HostedWrite.init)
    withResponse = try fields.bool("withResponse")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.field("request", request)
    writer.central(central)
    writer.key("writes")
    writer.objects(writes)
    writer.field("withResponse", withResponse)
  }
}
