public import CoreBluetooth
public import Foundation

/// How the emulated air and its devices behave. Times are in seconds.
public struct EmulatorConfiguration: Hashable, Sendable {
  // MARK: The radio

  /// What managers are told of it: `.poweredOff`, `.unauthorized` and so on end all that is on the air.
  public var state: CBManagerState = .poweredOn

  // MARK: Timing

  /// From a manager's making to its first state.
  public var stateUpdateDelay: TimeInterval = 0.1
  /// Between two advertisements of a peripheral.
  public var scanDiscoveryInterval: TimeInterval = 0.5
  public var connectionDelay: TimeInterval = 0.2
  /// Of a disconnect that the central asks for.
  public var disconnectionDelay: TimeInterval = 0.1
  /// Also that of included services.
  public var serviceDiscoveryDelay: TimeInterval = 0.15
  public var characteristicDiscoveryDelay: TimeInterval = 0.15
  public var descriptorDiscoveryDelay: TimeInterval = 0.15
  public var readDelay: TimeInterval = 0.05
  public var writeDelay: TimeInterval = 0.05
  public var notificationDelay: TimeInterval = 0.05

  // MARK: Signal

  /// dBm.
  public var rssiRange: ClosedRange<Int> = -80...(-40)
  /// dB that an advertisement may differ from the middle of the range, staying inside it.
  public var rssiVariation: Int = 5

  // MARK: Errors

  public var simulateConnectionFailure: Bool = false
  /// The probability with which a connect fails, 0...1, while `simulateConnectionFailure` is set.
  public var connectionFailureRate: Double = 0
  public var simulateReadWriteErrors: Bool = false
  /// The probability with which a read or write fails, 0...1, while `simulateReadWriteErrors` is set.
  public var readWriteErrorRate: Double = 0
  /// What failures are drawn from: equal seeds and calls give equal failures.
  public var errorSeed: UInt64 = 0

  // MARK: MTU

  /// The ATT MTU that connections have, 23 to 517, but no more than `maximumMTU`.
  public var defaultMTU: Int = 185
  public var maximumMTU: Int = 512

  // MARK: Backpressure

  /// Whether queues fill: each update and each write without response then takes `backpressureProcessingDelay`.
  public var simulateBackpressure: Bool = false
  /// Updates on their way before `updateValue` returns false.
  public var maxNotificationQueue: Int = 20
  /// Writes without response on their way before `canSendWriteWithoutResponse` is false.
  public var maxWriteWithoutResponseQueue: Int = 20
  public var backpressureProcessingDelay: TimeInterval = 0.1

  // MARK: Pairing

  /// Whether encrypted attributes are refused unless pairing is simulated. If neither is set, pairing succeeds at once.
  public var requirePairing: Bool = false
  /// Whether pairing takes `pairingDelay` and ends as `pairingSucceeds` says.
  public var simulatePairing: Bool = false
  public var pairingDelay: TimeInterval = 0.5
  public var pairingSucceeds: Bool = true

  // MARK: Scans

  /// Whether `CBCentralManagerScanOptionAllowDuplicatesKey` counts.
  public var honorAllowDuplicatesOption: Bool = true
  /// Whether `CBCentralManagerScanOptionSolicitedServiceUUIDsKey` counts.
  public var honorSolicitedServiceUUIDs: Bool = true

  // MARK: The app's life

  /// As for an app in the background: a scan for nothing in particular finds nothing, duplicates are not reported.
  public var backgroundModeEnabled: Bool = false
  /// Whether managers with a restore identifier get back what their predecessors held.
  public var stateRestorationEnabled: Bool = true

  // MARK: L2CAP

  public var l2capSupported: Bool = true
  /// Published channels get their PSMs from here, the first 192 if that is in it.
  public var l2capPSMRange: ClosedRange<UInt16> = 0x80...0xFF

  // MARK: Events

  /// Whether `registerForConnectionEvents` has an effect.
  public var fireConnectionEvents: Bool = true
  /// Whether `EmulatorBus.setANCSAuthorized` is told to delegates.
  public var fireANCSAuthorizationUpdates: Bool = true

  // MARK: Advertisements

  /// Whether an advertisement without a power level gets one.
  public var autoGenerateAdvertisementFields: Bool = true
  /// Whether Apple's rules hold: only name and service UUIDs, 28 bytes of them.
  public var appliesAdvertisingRules: Bool = false

  /// The values of `default`.
  public init() {}

  // MARK: Presets

  /// Times like real ones.
  public static var `default`: EmulatorConfiguration { EmulatorConfiguration() }

  /// No delays, for tests.
  public static var instant: EmulatorConfiguration {
    var configuration = EmulatorConfiguration()
    configuration.setDelays(0)
    configuration.scanDiscoveryInterval = 0.01
    configuration.rssiRange = -60...(-50)
    configuration.rssiVariation = 2
    return configuration
  }

  /// A bad connection: slow, small packets, short queues.
  public static var slow: EmulatorConfiguration {
    var configuration = EmulatorConfiguration()
    configuration.setDelays(0.5)
    configuration.scanDiscoveryInterval = 2
    configuration.connectionDelay = 1
    (configuration.readDelay, configuration.writeDelay, configuration.notificationDelay) = (0.2, 0.2, 0.2)
    configuration.rssiRange = -90...(-70)
    configuration.rssiVariation = 10
    (configuration.defaultMTU, configuration.maximumMTU) = (23, 185)
    configuration.simulateBackpressure = true
    (configuration.maxNotificationQueue, configuration.maxWriteWithoutResponseQueue) = (5, 5)
    configuration.backpressureProcessingDelay = 0.3
    configuration.pairingDelay = 1
    return configuration
  }

  /// Connects, reads, writes and pairing that fail now and then.
  public static var unreliable: EmulatorConfiguration {
    var configuration = EmulatorConfiguration()
    configuration.rssiRange = -90...(-40)
    configuration.rssiVariation = 15
    (configuration.simulateConnectionFailure, configuration.connectionFailureRate) = (true, 0.2)
    (configuration.simulateReadWriteErrors, configuration.readWriteErrorRate) = (true, 0.1)
    configuration.simulateBackpressure = true
    (configuration.maxNotificationQueue, configuration.maxWriteWithoutResponseQueue) = (10, 10)
    configuration.backpressureProcessingDelay = 0.2
    (configuration.simulatePairing, configuration.pairingSucceeds) = (true, false)
    return configuration
  }

  private mutating func setDelays(_ delay: TimeInterval) {
    stateUpdateDelay = delay
    connectionDelay = delay
    disconnectionDelay = delay
    serviceDiscoveryDelay = delay
    characteristicDiscoveryDelay = delay
    descriptorDiscoveryDelay = delay
    readDelay = delay
    writeDelay = delay
    notificationDelay = delay
    backpressureProcessingDelay = delay
    pairingDelay = delay
  }
}
