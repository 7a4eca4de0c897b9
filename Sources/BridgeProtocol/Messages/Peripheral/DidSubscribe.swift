/// A central gets a characteristic's updates from now on.
public struct DidSubscribe: EventBody {
  static let type: StaticString = "didSubscribe"

  public var central: HostedCentral
  public var characteristic: Int

  public init(central: HostedCentral, characteristic: Int) {
    self.central = central
    self.characteristic = characteristic
  }

  init(_ fields: MessageFields) throws(FieldError) {
    central = try fields.central()
    characteristic = try fields.int("characteristic")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.central(central)
    writer.field("characteristic", characteristic)
  }
}
