/// A central has opened a channel to a published PSM.
public struct DidAcceptL2CAP: EventBody {
  static let type: StaticString = "didAcceptL2CAP"

  public var channelId: String
  public var psm: UInt16
  public var central: HostedCentral

  public init(channelId: String, psm: UInt16, central: HostedCentral) {
    self.channelId = channelId
    self.psm = psm
    self.central = central
  }

  init(_ fields: MessageFields) throws(FieldError) {
    channelId = try fields.string("channelId")
    psm = UInt16(try fields.int("psm", in: 0...0xFFFF))
    central = try fields.central()
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("channelId")
    writer.string(channelId)
    writer.field("psm", Int(psm))
    writer.central(central)
  }
}
