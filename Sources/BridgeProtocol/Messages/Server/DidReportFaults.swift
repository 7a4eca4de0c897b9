/// The faults that are set, in the order in which they were, then those of the configuration that is served. Feature
/// `control`.
public struct DidReportFaults: EventBody {
  static let type: StaticString = "didReportFaults"

  public var faults: [FaultStatus]

  public init(faults: [FaultStatus]) { self.faults = faults }

  init(_ fields: MessageFields) throws(FieldError) { faults = try fields.objects("faults", FaultStatus.init) }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("faults")
    writer.objects(faults)
  }
}

/// A fault that is set.
public struct FaultStatus: Hashable, Sendable, MessageItem {
  /// nil for one of the configuration of the virtual devices, which goes with that.
  public var number: Int?
  /// How often it has struck.
  public var applied: Int
  public var rule: FaultRule
  public var isConfigured: Bool { number == nil }

  public init(number: Int?, applied: Int, rule: FaultRule) {
    self.number = number
    self.applied = applied
    self.rule = rule
  }

  init(_ fields: MessageFields) throws(FieldError) {
    number = try fields.optionalInt("number")
    applied = try fields.int("applied")
    rule = try FaultRule(fields)
  }

  func write(to writer: inout JSONWriter) {
    writer.field("number", number)
    if isConfigured { writer.field("configured", true) }
    writer.field("applied", applied)
    rule.write(to: &writer)
  }
}
