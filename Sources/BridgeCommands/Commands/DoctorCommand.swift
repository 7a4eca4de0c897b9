import BridgeIO
import BridgeProtocol
import DBus

/// `bridge doctor`: is everything there that a radio needs?
enum DoctorCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
    var adapter = ""
    var bus = ""
  }

  static let name = "doctor"
  static let summary = "Checks everything a radio needs, and says what to do."
  static let discussion = """
    Looks at this machine from the controller up to the socket: adapter present, rfkill, D-Bus, bluetoothd, permission,
    power, kernel sockets, who owns the socket. Each problem comes with what to do about it. Changes nothing, and needs
    no running service.

    Exit status 1 says that there is a problem.
    """
  static var options: [Option<Settings>] {
    [
      .text("--adapter", value: "ADAPTER", help: "Check this adapter: hciN or an address.", \.adapter), .socket,
      .text("--bus", value: "ADDRESS", help: "Another D-Bus than the system bus.", \.bus),
      .flag("--json", help: "One JSON object per check and line.", \.json),
    ]
  }
  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    let kernel = KernelChecks()
    let findings =
      [kernel.adapter(), kernel.rfkill()] + daemonFindings(settings)
      + [kernel.sockets(), SocketChecks(path: settings.socket).owner()]
    Terminal.say(settings.json ? findings.map(json).joined(separator: "\n") : text(findings))
    return findings.contains { $0.verdict == .problem } ? .nothingFound : .success
  }

  private static func daemonFindings(_ settings: Settings) -> [Finding] {
    let address = settings.bus.isEmpty ? nil : settings.bus
    let selector = settings.adapter.isEmpty ? nil : settings.adapter
    return onBridgeQueue { done in
      let checks = DaemonChecks(busAddress: address ?? Connection.systemBusAddress(), selector: selector)
      checks.run(completion: done)
    }
  }

  static func text(_ findings: [Finding]) -> String {
    let lines = findings.map { finding in
      let line = pad(mark(finding.verdict), 9) + pad(finding.check, 14) + Terminal.clean(finding.finding)
      return finding.advice.isEmpty ? line : line + "\n" + pad("", 23) + finding.advice
    }
    let problems = findings.count { $0.verdict == .problem }
    return (lines + ["", problems == 0 ? "Everything that a radio needs is there." : "\(problems) to mend."])
      .joined(separator: "\n")
  }

  private static func mark(_ verdict: Finding.Verdict) -> String {
    switch verdict {
    case .good: "ok"
    case .notice: "note"
    case .problem: "PROBLEM"
    case .skipped: "-"
    }
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func json(_ finding: Finding) -> String {
    var writer = JSONWriter()
    writer.object([
      "check": .string(finding.check), "verdict": .string(finding.verdict.rawValue),
      "finding": .string(finding.finding), "advice": .string(finding.advice),
    ])
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
