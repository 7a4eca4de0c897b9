/// The state of a radio; raw values and meaning of Apple's `CBManagerState`.
public enum AdapterState: Int, Sendable, CaseIterable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5

  /// Apple's name of the case, as it travels in `state` messages.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "poweredOff"
    case .poweredOn: "poweredOn"
    }
  }

  /// The state of that name.
  public init?(name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
