/// Which radios a service is told to serve.
public enum RadioMode: String, Hashable, Sendable, CaseIterable {
  /// This machine's adapter if there is one, else virtual devices.
  case auto
  case bluez
  /// Virtual devices.
  case mock
  /// The adapter and virtual devices side by side.
  case both
  case off
}

/// Which kind of world clients are in.
public enum ServedMode: String, Hashable, Sendable, CaseIterable {
  /// A real adapter.
  case passthrough
  case mock
  case both
  /// What a recording says, in place of a radio.
  case replay
  case off
}
