import BridgeProtocol

/// The command line: finds the subcommand and runs it.
public enum Bridge {
  private static var commands: [any Command.Type] {
    [ServeCommand.self, StatusCommand.self, DevicesCommand.self, ScanCommand.self, DoctorCommand.self]
  }

  public static func run(_ arguments: [String]) -> ExitStatus {
    guard let first = arguments.first else {
      Terminal.complain(overview)
      return .usage
    }
    switch first {
    case "help" where arguments.count > 1: return run([arguments[1], "--help"])
    case "help", "--help", "-h":
      Terminal.say(overview)
      return .success
    case "--version", "version":
      Terminal.say("bridge \(BridgeVersion.current) (protocol \(ProtocolVersion.current))")
      return .success
    default: break
    }
    guard let command = commands.first(where: { $0.name == first }) else {
      Terminal.complain("bridge: there is no command '\(first)'\n\n\(overview)")
      return .usage
    }
    return command.run(arguments: Array(arguments.dropFirst()))
  }

  static var overview: String {
    """
    bridge gives apps written against CoreBluetooth a radio: it serves ImpossiBLE's socket with this
    machine's Bluetooth adapter.

    Usage: bridge COMMAND [options]

    Commands:
    \(helpRows(commands.map { ($0.name, $0.summary) }))

    A first round:
      bridge doctor          is everything there that a radio needs?
      bridge serve           serve the adapter at \(StandardSocket.path)
      bridge scan            from another terminal: what is on the air?
      bridge devices         which devices did a client really talk to?

    Exit status:
    \(helpRows(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

    'bridge help COMMAND' explains one command and its options.
    """
  }
}
