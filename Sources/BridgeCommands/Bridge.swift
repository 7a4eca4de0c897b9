import BridgeProtocol

/// The command line: finds the subcommand and runs it.
public enum Bridge {
  private static var commands: [any Command.Type] {
    [
      ServeCommand.self, ReplayCommand.self, StatusCommand.self, DevicesCommand.self, ScanCommand.self,
      CaptureCommand.self,
      DoctorCommand.self,
      ModeCommand.self, ListMocksCommand.self, ShowMockCommand.self, UseMockCommand.self, ImportMockCommand.self,
      ValidateMockCommand.self, EnterPasskeyCommand.self,
      AddFaultCommand.self, ListFaultsCommand.self, ClearFaultsCommand.self,
    ]
  }

  public static func run(_ arguments: [String]) -> ExitStatus {
    guard let first = arguments.first else {
      Terminal.complain(overview)
      return .usage
    }
    switch first {
    case "help" where arguments.count > 1: return run(arguments.dropFirst() + ["--help"])
    case "help", "--help", "-h":
      Terminal.say(overview)
      return .success
    case "--version", "version":
      Terminal.say("bridge \(BridgeVersion.current) (protocol \(ProtocolVersion.current))")
      return .success
    default: break
    }
    if let command = commands.first(where: { $0.name == first }) {
      return command.run(arguments: Array(arguments.dropFirst()))
    }
    let family = commands.filter { $0.name.hasPrefix(first + " ") }
    if !family.isEmpty { return run(family, Array(arguments.dropFirst())) }
    Terminal.complain("bridge: there is no command '\(first)'\n\n\(overview)")
    return .usage
  }

  /// Commands of two words that share the first.
  private static func run(_ family: [any Command.Type], _ arguments: [String]) -> ExitStatus {
    if let second = arguments.first, let command = family.first(where: { $0.name.hasSuffix(" " + second) }) {
      return command.run(arguments: Array(arguments.dropFirst()))
    }
    let list = "Commands:\n\(helpRows(family.map { ($0.name, $0.summary) }))"
    if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
      Terminal.say(list)
      return .success
    }
    Terminal.complain("bridge: which one?\n\n\(list)")
    return .usage
  }

  static var overview: String {
    """
    bridge gives apps written against CoreBluetooth a radio: it serves ImpossiBLE's socket with this
    machine's Bluetooth adapter, with virtual devices, or with both.

    Usage: bridge COMMAND [options]

    Commands:
    \(helpRows(commands.map { ($0.name, $0.summary) }))

    A first round:
      bridge doctor          is everything there that a radio needs?
      bridge serve           serve the adapter at \(StandardSocket.path), or virtual devices if there is none
      bridge scan            from another terminal: what is on the air?
      bridge devices         which devices did a client really talk to?

    Exit status:
    \(helpRows(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

    'bridge help COMMAND' explains one command and its options.
    """
  }
}
