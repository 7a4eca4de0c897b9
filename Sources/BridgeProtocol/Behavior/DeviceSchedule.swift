/// What happens to a device one step after another, maybe over and over.
public struct DeviceSchedule<Step: ScheduleStep>: Hashable, Sendable {
  public var steps: [Step]
  /// Whether the first follows the last; the device is then as it was in the beginning.
  public var repeats: Bool
}

public protocol ScheduleStep: Hashable, Sendable {
  /// Seconds after the step before, or after the beginning.
  var after: Double { get }
}

/// From then on a device advertises otherwise; what is nil stays.
public struct AdvertisingStep: ScheduleStep {
  public var after = 0.0
  /// Whether it advertises.
  public var isVisible: Bool?
  /// Whether it is there at all: connects wait for it, and a link it has is lost.
  public var isReachable: Bool?
  public var isConnectable: Bool?
  public var localName: String?
  public var advertisedServiceUUIDs: [BluetoothUUID]?
  public var manufacturerData: [UInt8]?
  public var serviceData: [BluetoothUUID: [UInt8]]?
  public var txPower: Int?
  public var rssi: Int?
  /// Seconds.
  public var interval: Double?
  public init() {}
}

/// From then on a device has other services.
public struct ServiceStep: ScheduleStep {
  public var after = 0.0
  public var hide: [BluetoothUUID] = []
  public var show: [BluetoothUUID] = []
  public init() {}
}

extension DeviceSchedule {
  fileprivate init(
    _ fields: MessageFields, _ key: StaticString, _ read: (MessageFields) throws(FieldError) -> Step
  ) throws(FieldError) {
    steps = try fields.objects(key, read)
    repeats = try fields.bool("repeat", default: false)
    guard steps.count <= 10_000 else { throw FieldError(key, .outOfRange) }
    if repeats, steps.reduce(0, { $0 + $1.after }) < 0.02 {
      throw FieldError(key, .unsuitable("repeats without taking any time"))
    }
  }
}

extension AdvertisingStep {
  init(_ fields: MessageFields) throws(FieldError) {
    after = try fields.seconds("after") ?? 0
    isVisible = try fields.optionalBool("visible")
    isReachable = try fields.optionalBool("reachable")
    isConnectable = try fields.optionalBool("isConnectable")
    localName = try fields.optionalString("localName")
    if fields.item("advertisedServiceUUIDs") != nil {
      advertisedServiceUUIDs = try fields.uuids("advertisedServiceUUIDs")
    }
    manufacturerData = try fields.value("manufacturerData")
    serviceData = try fields.bytesByUUID("serviceData")
    txPower = try fields.optionalInt("txPower", in: -127...127)
    rssi = try fields.optionalInt("rssi", in: -127...127)
    interval = try fields.advertisingInterval()
  }
}

extension ServiceStep {
  init(_ fields: MessageFields) throws(FieldError) {
    after = try fields.seconds("after") ?? 0
    hide = try fields.uuids("hide")
    show = try fields.uuids("show")
  }
}

/// How a device is heard.
public struct AdvertisingBehavior: Hashable, Sendable {
  /// Seconds.
  public var interval: Double?
  /// Seconds, the most by which an interval is longer, each time by another part.
  public var jitter: Double?
  public var schedule: DeviceSchedule<AdvertisingStep>?
}

extension AdvertisingBehavior {
  init(_ fields: MessageFields) throws(FieldError) {
    interval = try fields.advertisingInterval()
    jitter = try fields.seconds("jitter")
    if fields.item("schedule") != nil { schedule = try DeviceSchedule(fields, "schedule", AdvertisingStep.init) }
  }
}

/// How a device's services change.
public struct ServiceChanges: Hashable, Sendable {
  /// Whether the schedule begins anew with each link, and stands still without one; else it runs all the time.
  public var whileConnected: Bool
  public var schedule: DeviceSchedule<ServiceStep>
}

extension ServiceChanges {
  init(_ fields: MessageFields) throws(FieldError) {
    whileConnected = try fields.bool("whileConnected", default: false)
    schedule = try DeviceSchedule(fields, "schedule", ServiceStep.init)
  }
}

extension MessageFields {
  /// A device is heard at most fifty times a second.
  fileprivate func advertisingInterval() throws(FieldError) -> Double? {
    guard let interval = try seconds("interval") else { return nil }
    guard interval >= 0.02 else { throw FieldError("interval", .outOfRange) }
    return interval
  }

  fileprivate func bytesByUUID(_ key: StaticString) throws(FieldError) -> [BluetoothUUID: [UInt8]]? {
    guard let members = try tree(key) else { return nil }
    var result: [BluetoothUUID: [UInt8]] = [:]
    for (name, value) in members {
      guard let uuid = BluetoothUUID(name) else { throw FieldError("\(key).\(name)", .invalidUUID) }
      guard let text = value.stringValue else { throw FieldError("\(key).\(name)", .not(.string)) }
      guard let bytes = Array(text.utf8).withUnsafeBufferPointer({ Base64.decode($0) }) else {
        throw FieldError("\(key).\(name)", .invalidBase64)
      }
      result[uuid] = bytes
    }
    return result
  }
}
