/// A wish; not answered.
public struct SetConnectionLatency: RequestBody {
  static let type: StaticString = "setConnectionLatency"

  public var central: PeripheralIdentifier
  /// 0 low, 1 medium, 2 high.
  public var latency: Int

  public init(central: PeripheralIdentifier, latency: Int) {
    self.central = central
    self.latency = latency
  }

  init(_ fields: MessageFields) throws(FieldError) {
    central = try fields.peripheral("central")
    latency = try fields.int("latency", in: 0...2)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("central")
    writer.peripheral(central)
    writer.field("latency", latency)
  }
}
