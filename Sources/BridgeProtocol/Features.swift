/// Additions to the wire that a client asks for in its hello and the server grants in its `welcome`.
public struct Features: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The radio's state by message instead of by closed connections.
  public static let state = Self(rawValue: 0x01)
  /// Domain and code on every failing reply.
  public static let errors = Self(rawValue: 0x02)
  /// The largest write without response, whenever it becomes known or changes.
  public static let mtu = Self(rawValue: 0x04)
  /// The service's status and its record of traffic.
  public static let control = Self(rawValue: 0x08)
  /// Connections of the host's other users.
  public static let connectionEvents = Self(rawValue: 0x10)
  /// The client can be a peripheral itself.
  public static let peripheral = Self(rawValue: 0x20)
  /// Asking for peripherals without a scan.
  public static let retrieve = Self(rawValue: 0x40)
  /// How far writes without response are.
  public static let flow = Self(rawValue: 0x80)
  /// What a client holds is kept for its next run.
  public static let restore = Self(rawValue: 0x100)

  /// All that this version knows.
  public static let all: Features = [
    .state, .errors, .mtu, .control, .connectionEvents, .peripheral, .retrieve, .flow, .restore,
  ]

  private static let byName: [(name: String, feature: Features)] = [
    ("state", .state), ("errors", .errors), ("mtu", .mtu), ("control", .control),
    ("connectionEvents", .connectionEvents), ("peripheral", .peripheral), ("retrieve", .retrieve), ("flow", .flow),
    ("restore", .restore),
  ]

  /// Names that are not known are left out.
  public init(names: [String]) {
    self.init(Self.byName.filter { names.contains($0.name) }.map(\.feature))
  }

  /// As they travel.
  public var names: [String] { Self.byName.filter { contains($0.feature) }.map(\.name) }
}
