/// A central gets no more updates, or is gone.
public struct DidUnsubscribe: EventBody {
  static let type: StaticString = "didUnsubscribe"

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
