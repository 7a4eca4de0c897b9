/// How a device pairs.
public enum MockPairingMode: Int, Hashable, Sendable, CaseIterable {
  /// Not at all. ImpossiBLE's mock allows secured accesses then, hardware refuses them.
  case none = 0
  /// By itself at the first secured access.
  case justWorks = 1
  /// With six digits that the client's side has to give.
  case passkey = 2
}

/// What an access needs.
public enum MockSecurityLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  case none = 0
  /// An encrypted link.
  case encryption = 1
  /// An encrypted link whose keys were made with a passkey.
  case authentication = 2

  public static func < (left: MockSecurityLevel, right: MockSecurityLevel) -> Bool { left.rawValue < right.rawValue }
}

/// How long a written value stays.
public enum MockValueLifetime: String, Hashable, Sendable, CaseIterable {
  /// Not at all: a write is taken, a read gives what the device says.
  case none
  case untilDisconnect = "disconnect"
  /// Until the world is torn down.
  case untilTeardown = "teardown"
}
