/// What a characteristic does when it is written.
public struct WriteReply: Hashable, Sendable {
  /// Another characteristic's value, or the same one's, that is set then.
  public struct Setting: Hashable, Sendable {
    /// nil for the characteristic that is written.
    public var characteristic: BluetoothUUID?
    /// Where the characteristic is looked for; nil for its own service, then the whole device.
    public var service: BluetoothUUID?
    /// nil for what was written.
    public var value: [UInt8]?
    public var notifies = true
    /// Seconds after the write.
    public var delay = 0.0
    public init() {}
  }

  /// Only values that are just this; nil for any.
  public var equals: [UInt8]?
  /// Only values that begin so.
  public var startsWith: [UInt8] = []
  /// The write fails with this ATT error, and nothing else happens.
  public var reject: BluetoothError?
  /// Whether what is written is the value from now on.
  public var stores = true
  public var settings: [Setting] = []

  public init() {}

  public func matches(_ value: [UInt8]) -> Bool {
    if let equals, equals != value { return false }
    return value.starts(with: startsWith)
  }
}

extension WriteReply {
  init(_ fields: MessageFields) throws(FieldError) {
    self.init()
    equals = try fields.value("equals")
    startsWith = try fields.value("startsWith") ?? []
    reject = try fields.fault("reject", .attribute)
    stores = try fields.bool("store", default: true)
    settings = try fields.oneOrMore("set", Setting.init)
    // A single write is answered by all of them.
    guard settings.count <= 100 else { throw FieldError("set", .unsuitable("more than 100")) }
    if try fields.bool("echo", default: false) { settings.append(Setting()) }
  }
}

extension WriteReply.Setting {
  init(_ fields: MessageFields) throws(FieldError) {
    self.init()
    characteristic = try fields.optionalUUID("characteristic")
    service = try fields.optionalUUID("service")
    value = try fields.value("value")
    notifies = try fields.bool("notify", default: true)
    delay = try fields.seconds("delay") ?? 0
  }
}
