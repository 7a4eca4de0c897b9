/// What the `behavior` object of some part of a configuration says.
protocol BehaviorContent: Hashable, Sendable {
  init(_ fields: MessageFields) throws(FieldError)

  /// The field that reaches into this machine, if any.
  var localField: String? { get }

  /// What it names there, by field.
  var localTargets: [(field: String, target: LocalReference.Target)] { get }
}

extension BehaviorContent {
  var localField: String? { localTargets.first?.field }
  var localTargets: [(field: String, target: LocalReference.Target)] { [] }
}

/// The `behavior` of a configuration.
public struct ConfigurationBehavior: BehaviorContent {
  /// What everything random in the configuration is drawn from.
  public var seed: UInt64?
  public var simulation: SimulationBehavior
  public var faults: [FaultRule]

  init(_ fields: MessageFields) throws(FieldError) {
    seed = try fields.seed()
    simulation = try SimulationBehavior(fields)
    faults = try fields.rules("faults", FaultRule.init)
  }
}

/// The `behavior` of a device.
public struct DeviceBehavior: BehaviorContent {
  public var seed: UInt64?
  /// In place of what the configuration says.
  public var simulation: SimulationBehavior
  public var advertising: AdvertisingBehavior?
  public var serviceChanges: ServiceChanges?
  /// What connects fail with.
  public var connectionError: BluetoothError?
  /// What the end of a link is told with that a fault drops.
  public var disconnectionError: BluetoothError?
  public var discoverServicesError: BluetoothError?
  public var discoverCharacteristicsError: BluetoothError?
  public var discoverDescriptorsError: BluetoothError?
  public var faults: [FaultRule]

  init(_ fields: MessageFields) throws(FieldError) {
    seed = try fields.seed()
    simulation = try SimulationBehavior(fields)
    advertising = try fields.object("advertising", AdvertisingBehavior.init)
    serviceChanges = try fields.object("serviceChanges", ServiceChanges.init)
    connectionError = try fields.linkError("connectionError")
    disconnectionError = try fields.linkError("disconnectionError")
    discoverServicesError = try fields.fault("discoverServicesError", .attribute)
    discoverCharacteristicsError = try fields.fault("discoverCharacteristicsError", .attribute)
    discoverDescriptorsError = try fields.fault("discoverDescriptorsError", .attribute)
    faults = try fields.faults()
  }
}

/// The `behavior` of a service.
public struct ServiceBehavior: BehaviorContent {
  /// Whether it is not there until the device's `serviceChanges` show it.
  public var isHidden: Bool

  init(_ fields: MessageFields) throws(FieldError) { isHidden = try fields.bool("isHidden", default: false) }
}

/// The `behavior` of a characteristic.
public struct CharacteristicBehavior: BehaviorContent {
  /// Values that come by themselves, and are notified.
  public var source: ValueSource?
  /// The value of each read.
  public var read: ValueSource?
  /// Of those that match a write the first counts.
  public var replies: [WriteReply]
  public var readError: BluetoothError?
  public var writeError: BluetoothError?
  /// Seconds, by operation.
  public var delays: [FaultOperation: Double] = [:]
  public var faults: [FaultRule]

  init(_ fields: MessageFields) throws(FieldError) {
    source = try fields.object("source", ValueSource.init)
    read = try fields.object("read", ValueSource.init)
    replies = try fields.oneOrMore("write", WriteReply.init)
    readError = try fields.fault("readError", .attribute)
    writeError = try fields.fault("writeError", .attribute)
    faults = try fields.faults()
    if let delay = try fields.delay("readDelay") { delays[.read] = delay }
    if let delay = try fields.delay("notificationDelay") { delays[.notification] = delay }
    if let delay = try fields.delay("writeDelay") {
      delays[.write] = delay
      delays[.writeWithoutResponse] = delay
    }
    if let problem = read?.readProblem { throw FieldError("read.kind", .unsuitable(problem)) }
    if let index = faults.firstIndex(where: { !$0.operation.hasAttribute }) {
      throw FieldError("faults[\(index)].operation", .unsuitable("it concerns no characteristic"))
    }
  }

  var localTargets: [(field: String, target: LocalReference.Target)] {
    var targets: [(field: String, target: LocalReference.Target)] = []
    for (name, source) in [("source", source), ("read", read)] {
      if let (field, target) = source?.localTarget { targets.append(("\(name).\(field)", target)) }
    }
    return targets
  }
}

/// The `behavior` of a descriptor.
public struct DescriptorBehavior: BehaviorContent {
  public var readError: BluetoothError?
  public var writeError: BluetoothError?

  init(_ fields: MessageFields) throws(FieldError) {
    readError = try fields.fault("readError", .attribute)
    writeError = try fields.fault("writeError", .attribute)
  }
}

extension ValueSource {
  /// Why it cannot give the value of a read.
  fileprivate var readProblem: String? {
    switch kind {
    case .csv: "not for reads: take it as source, reads give its latest value"
    default: nil
    }
  }
}

extension MessageFields {
  fileprivate func linkError(_ key: StaticString) throws(FieldError) -> BluetoothError? {
    let error = try fault(key, .bluetooth)
    if error?.domain == .attribute { throw FieldError(key, .unsuitable("not a CBError")) }
    return error
  }
}
