public import BridgeProtocol

/// How a world of virtual peripherals behaves.
public struct VirtualRadioOptions: Hashable, Sendable {
  public enum Compatibility: String, Hashable, Sendable, CaseIterable {
    /// Devices keep the rules that hardware keeps.
    case hardware
    /// As lax as ImpossiBLE's mock (docs/configuration.md), for test suites that lean on it.
    case impossible
  }

  public var compatibility = Compatibility.hardware
  /// For devices that do not say otherwise, and when there is no pairing delegate.
  public var passkeyEntry = PasskeyEntry.refused
  /// Between the advertisements of a device that does not say otherwise.
  public var advertisingInterval = Duration.seconds(1)
  /// Writes without response that wait at a device before there is no more room.
  public var commandQueueDepth = 20
  /// Notifications of one device that wait for the next turn before there is no more room.
  public var notificationQueueDepth = 4096
  /// A device that leaves a request unanswered for so long loses its link (Core Specification Vol 3, Part F, 3.3.3).
  public var transactionTimeout = Duration.seconds(30)
  /// How long a passkey is waited for.
  public var pairingTimeout = Duration.seconds(30)
  /// What `start` brings it to.
  public var initialState = AdapterState.poweredOn
  /// For people.
  public var kind = "mock"

  public init() {}
}
