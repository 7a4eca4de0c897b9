/// How fast and how reliably a world or a device works, under the names that the emulators of CoreBluetooth have for it.
public struct SimulationBehavior: Hashable, Sendable {
  public enum Knob: Hashable, Sendable {
    /// Seconds that each operation of the kind is held back.
    case delay(FaultOperation)
    /// The probability that a connect fails.
    case connectionFailureRate
    /// The probability that a read or write with response fails.
    case readWriteErrorRate
  }

  public var knobs: [Knob: Double] = [:]
  /// Seconds from the start until the radio is on.
  public var stateUpdateDelay: Double?
  /// Seconds between advertisements.
  public var scanDiscoveryInterval: Double?
  /// dBm.
  public var rssiRange: ClosedRange<Int>?
  /// dB, the most from one advertisement to the next.
  public var rssiVariation: Int?

  public init() {}

  /// Named settings to start from; both are CoreBluetoothEmulator's.
  public enum Preset: String, Hashable, Sendable, CaseIterable {
    case `default`
    /// No delays.
    case instant
  }

  public init(_ preset: Preset) {
    let isInstant = preset == .instant
    for (operation, delay) in Self.usualDelays { knobs[.delay(operation)] = isInstant ? 0 : delay }
    stateUpdateDelay = isInstant ? 0 : 0.1
    scanDiscoveryInterval = isInstant ? 0.1 : 0.5
    rssiRange = -80 ... -40
    rssiVariation = 5
  }

  private static let usualDelays: [FaultOperation: Double] = [
    .connect: 0.2, .disconnect: 0.1, .discoverServices: 0.15, .discoverIncludedServices: 0.15,
    .discoverCharacteristics: 0.15, .discoverDescriptors: 0.15, .read: 0.05, .readDescriptor: 0.05, .write: 0.05,
    .writeDescriptor: 0.05, .writeWithoutResponse: 0.05, .notification: 0.05,
  ]
}

extension SimulationBehavior {
  /// The keys for delays; of two for the same operation the later counts, which is the more particular one.
  private static let delays: [(key: StaticString, operations: [FaultOperation])] = [
    ("connectionDelay", [.connect]), ("disconnectionDelay", [.disconnect]),
    ("serviceDiscoveryDelay", [.discoverServices, .discoverIncludedServices]),
    ("characteristicDiscoveryDelay", [.discoverCharacteristics]), ("descriptorDiscoveryDelay", [.discoverDescriptors]),
    ("readDelay", [.read, .readDescriptor]), ("writeDelay", [.write, .writeDescriptor, .writeWithoutResponse]),
    ("notificationDelay", [.notification]),
    // Faketooth's.
    ("scanForPeripheralDelayInSeconds", [.advertisement]), ("connectPeripheralDelayInSeconds", [.connect]),
    ("cancelPeripheralConnectionDelayInSeconds", [.disconnect]),
    ("discoverServicesDelayInSeconds", [.discoverServices]),
    ("discoverCharacteristicsDelayInSeconds", [.discoverCharacteristics]),
    ("discoverIncludedServicesDelayInSeconds", [.discoverIncludedServices]),
    ("discoverDescriptorsForCharacteristicDelayInSeconds", [.discoverDescriptors]),
    ("readValueForCharacteristicDelayInSeconds", [.read]),
    ("writeValueForCharacteristicDelayInSeconds", [.write, .writeWithoutResponse]),
    ("readValueForDescriptorDelayInSeconds", [.readDescriptor]),
    ("writeValueForDescriptorDelayInSeconds", [.writeDescriptor]),
    ("setNotifyValueForCharacteristicDelayInSeconds", [.setNotify]),
  ]

  init(_ fields: MessageFields) throws(FieldError) {
    let preset = fields.item("preset") == nil ? nil : try fields.name("preset", of: Preset.self)
    self = preset.map { SimulationBehavior($0) } ?? SimulationBehavior()
    for (key, operations) in Self.delays {
      guard let delay = try fields.delay(key) else { continue }
      for operation in operations { knobs[.delay(operation)] = delay }
    }
    try readDelays(fields)
    stateUpdateDelay = try fields.delay("stateUpdateDelay") ?? stateUpdateDelay
    if let interval = try fields.seconds("scanDiscoveryInterval") {
      guard interval >= 0.02 else { throw FieldError("scanDiscoveryInterval", .outOfRange) }
      scanDiscoveryInterval = interval
    }
    rssiRange = try fields.range("rssiRange", within: -127...20) ?? rssiRange
    rssiVariation = try fields.optionalInt("rssiVariation", in: 0...100) ?? rssiVariation
    if let rate = try fields.rate("connectionFailureRate", if: "simulateConnectionFailure") {
      knobs[.connectionFailureRate] = rate
    }
    if let rate = try fields.rate("readWriteErrorRate", if: "simulateReadWriteErrors") {
      knobs[.readWriteErrorRate] = rate
    }
    // Of an app that goes to the background, which is none of a device's business.
    _ = try fields.optionalBool("backgroundModeEnabled")
  }

  /// `delays`: an object of kinds of operations.
  private mutating func readDelays(_ fields: MessageFields) throws(FieldError) {
    guard let delays = try fields.object("delays") else { return }
    for operation in FaultOperation.allCases where operation != .link && operation != .request {
      let key = operation.key
      do throws(FieldError) {
        if let delay = try delays.delay(key) { knobs[.delay(operation)] = delay }
      } catch { throw error.inside("delays") }
    }
  }
}

extension MessageFields {
  func delay(_ key: StaticString) throws(FieldError) -> Double? {
    guard let value = try optionalDouble(key) else { return nil }
    guard 0...FaultRule.maximumDelay ~= value else { throw FieldError(key, .outOfRange) }
    return value
  }

  /// A rate, and the switch that turns it off.
  fileprivate func rate(_ key: StaticString, if enabled: StaticString) throws(FieldError) -> Double? {
    let isEnabled = try optionalBool(enabled)
    let rate = item(key) == nil ? nil : try double(key, in: 0...1, default: 0)
    return isEnabled == false ? 0 : rate
  }
}

extension FaultOperation {
  fileprivate var key: StaticString {
    switch self {
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .discoverServices: "discoverServices"
    case .discoverIncludedServices: "discoverIncludedServices"
    case .discoverCharacteristics: "discoverCharacteristics"
    case .discoverDescriptors: "discoverDescriptors"
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "writeWithoutResponse"
    case .readDescriptor: "readDescriptor"
    case .writeDescriptor: "writeDescriptor"
    case .setNotify: "setNotify"
    case .readRSSI: "readRSSI"
    case .openL2CAP: "openL2CAP"
    case .request: "request"
    case .notification: "notification"
    case .advertisement: "advertisement"
    case .link: "link"
    }
  }
}
