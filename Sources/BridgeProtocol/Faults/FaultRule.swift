/// What shall go wrong, with which operations, how often: a fault as the wire and configurations write it.
public struct FaultRule: Hashable, Sendable {
  public var operation: FaultOperation

  // MARK: Where

  /// nil for every peripheral.
  public var id: PeripheralIdentifier?
  /// The peripheral's name, in place of `id`; nil for any.
  public var name: String?
  /// The service that the attribute is in; with `changeServices` the services that change. nil for any.
  public var service: BluetoothUUID?
  public var characteristic: BluetoothUUID?
  public var descriptor: BluetoothUUID?

  // MARK: When

  /// Matching operations of a peripheral that are spared first.
  public var after = 0
  /// Of those that follow, each n-th is hit, the first of them to begin with.
  public var every = 1
  /// The probability with which one is hit that `after` and `every` let through, 0...1.
  public var rate = 1.0
  /// How many are hit before the rule has done its work; nil for no end.
  public var count: Int?
  /// Whether `after`, `every` and `count` begin anew with each link.
  public var perLink = false
  /// What `rate` and `jitter` draw from; equal seeds draw equally.
  public var seed: UInt64?

  // MARK: What

  /// What the operation fails with instead of being done; of a dropped link what its end is told with.
  public var error: BluetoothError?
  /// Seconds that it is held back. What follows it from the same peripheral waits too: order is kept.
  public var delay = 0.0
  /// Seconds, the most that is added to `delay`, each time another part.
  public var jitter = 0.0
  /// It is lost: a request is never answered, a notification or advertisement never comes.
  public var lose = false
  /// The link ends after it.
  public var drop = false
  /// The device says after it that its services have changed.
  public var changeServices = false

  public init(_ operation: FaultOperation) { self.operation = operation }

  /// Seconds; more is taken for a mistake.
  public static let maximumDelay = 3600.0
}

extension FaultRule: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    let name = try fields.string("operation")
    guard let operation = FaultOperation(rawValue: name) else {
      throw FieldError("operation", .unsuitable("not one of \(FaultOperation.allCases.map(\.rawValue))"))
    }
    self.init(operation)
    id = fields.item("id") == nil ? nil : try fields.peripheral()
    self.name = try fields.optionalString("name")
    service = fields.item("service") == nil ? nil : try fields.uuid("service")
    characteristic = fields.item("characteristic") == nil ? nil : try fields.uuid("characteristic")
    descriptor = fields.item("descriptor") == nil ? nil : try fields.uuid("descriptor")
    after = try fields.int("after", in: 0...Int(Int32.max), default: 0)
    every = try fields.int("every", in: 1...Int(Int32.max), default: 1)
    count = fields.item("count") == nil ? nil : try fields.int("count", in: 1...Int(Int32.max))
    rate = try fields.double("rate", in: 0...1, default: 1)
    perLink = try fields.bool("perLink", default: false)
    seed = try fields.optionalInt("seed").map { UInt64(bitPattern: Int64($0)) }
    delay = try fields.double("delay", in: 0...Self.maximumDelay, default: 0)
    jitter = try fields.double("jitter", in: 0...Self.maximumDelay, default: 0)
    lose = try fields.bool("lose", default: false)
    drop = try fields.bool("drop", default: false)
    changeServices = try fields.bool("changeServices", default: false)
    error = try fields.faultError()
    if let problem { throw FieldError(problem.field, .unsuitable(problem.reason)) }
  }

  func write(to writer: inout JSONWriter) {
    writer.field("operation", operation.rawValue)
    if let id {
      writer.key("id")
      writer.peripheral(id)
    }
    writer.field("name", name)
    for (key, uuid) in [("service", service), ("characteristic", characteristic), ("descriptor", descriptor)] {
      guard let uuid else { continue }
      writer.key(key)
      writer.uuid(uuid)
    }
    if after != 0 { writer.field("after", after) }
    if every != 1 { writer.field("every", every) }
    writer.field("count", count)
    if rate != 1 { writer.field("rate", rate) }
    if perLink { writer.field("perLink", true) }
    writer.field("seed", seed.map { Int(Int64(bitPattern: $0)) })
    if let error { writer.field(error.domain == .attribute ? "attError" : "cbError", error.code) }
    if delay != 0 { writer.field("delay", delay) }
    if jitter != 0 { writer.field("jitter", jitter) }
    if lose { writer.field("lose", true) }
    if drop { writer.field("drop", true) }
    if changeServices { writer.field("changeServices", true) }
  }
}

extension FaultRule: CustomStringConvertible {
  /// As the wire writes it.
  public var description: String {
    var writer = JSONWriter()
    writer.object(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension MessageFields {
  /// `attError` or `cbError`, whichever is there.
  fileprivate func faultError() throws(FieldError) -> BluetoothError? {
    let att = try optionalInt("attError")
    let cb = try optionalInt("cbError")
    switch (att, cb) {
    case (nil, nil): return nil
    case (let code?, nil):
      guard let code = UInt8(exactly: code), code != 0 else { throw FieldError("attError", .outOfRange) }
      return .attribute(code)
    case (nil, let code?):
      guard let error = BluetoothError.bluetooth(code) else { throw FieldError("cbError", .outOfRange) }
      return error
    default: throw FieldError("cbError", .unsuitable("there is an attError too"))
    }
  }
}
