/// How the bridge takes part in pairing: `--agent`.
///
/// - Source: BlueZ `doc/org.bluez.AgentManager.rst`; Core Specification Vol 3, Part H, 2.3.5.1.
public enum AgentMode: String, CaseIterable, Sendable {
  /// No agent. Unless another program has one, every access to a protected attribute then fails, and leaves the link
  /// without GATT until the bridge cuts it (35 s to 55 s later).
  case none
  /// Agrees to pairing without a number, and leaves the rest to the desktop's agent where there is one.
  case auto
  /// Agrees to pairing without a number, before any other agent: nobody is there to ask.
  case justWorks = "just-works"
  /// Shows numbers in the log.
  case display
  /// Shows numbers in the log and confirms them.
  case confirm
  /// Types the passkey given by `--passkey`.
  case keyboard
  /// Shows numbers, confirms them, types the passkey given by `--passkey`.
  case keyboardDisplay = "keyboard-display"

  /// What `RegisterAgent` is told.
  var capability: String {
    switch self {
    case .none, .auto, .justWorks: "NoInputNoOutput"
    case .display: "DisplayOnly"
    case .confirm: "DisplayYesNo"
    case .keyboard: "KeyboardOnly"
    case .keyboardDisplay: "KeyboardDisplay"
    }
  }

  /// Whether pairing that others start, or that bluetoothd starts for an access, is ours to answer.
  var isDefault: Bool { self != .none && self != .auto }

  /// Whether two equal numbers are taken for compared.
  var confirms: Bool { self == .confirm || self == .keyboardDisplay }

  var types: Bool { self == .keyboard || self == .keyboardDisplay }
}

/// What the agent is told to do.
public struct AgentConfiguration: Hashable, Sendable {
  public var mode: AgentMode
  /// 0 to 999 999; what is typed when a device shows a number.
  public var passkey: UInt32?

  public init(mode: AgentMode = .auto, passkey: UInt32? = nil) {
    self.mode = mode
    self.passkey = passkey
  }

  /// Reads one to six digits; nil for anything else.
  public static func passkey(_ text: String) -> UInt32? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt32(text)
  }
}
