import BridgeProtocol

/// `bridge status`: radio, clients and traffic of the running service.
enum StatusCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
  }

  static let name = "status"
  static let summary = "Radio, clients and traffic of the running service."
  static let discussion = """
    Asks the running service for its radio, its clients and its latest traffic.

    Exit status 4 says that the service runs but its radio cannot be used now, so a script can wait:
      until bridge status >/dev/null; do sleep 1; done
    """
  static var options: [Option<Settings>] { [.socket, .json] }
  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    settings.withService { (service) throws(ServiceClient.Failure) in
      service.send(.status(Status()))
      while let message = try service.receive(by: .now + .seconds(5)) {
        guard case .didReportStatus(let status) = message else { continue }
        if settings.json { Terminal.sayJSON(message) } else { Terminal.say(text(status)) }
        return status.radio.state == .poweredOn ? .success : .radioUnavailable
      }
      throw ServiceClient.Failure(text: "The service did not answer within 5 s.", status: .failure)
    }
  }

  static func text(_ status: DidReportStatus) -> String {
    var rows = [
      ("Service", "bridge \(status.serverVersion), protocol \(status.protocolVersion), up \(duration(status.uptime))"),
      ("Socket", "\(status.socketPath), policy \(status.policy)"),
      ("Serving", "\(status.serving) (mode \(status.mode.rawValue))"),
    ]
    if let notice = status.notice { rows.append(("", notice)) }
    for radio in status.radios { rows += self.rows(radio, status) }
    rows.append(("Traffic", traffic(status)))
    rows.append(("Clients", status.clients.isEmpty ? "none" : "\(status.clients.count)"))
    let head = rows.map { $0.0 + String(repeating: " ", count: 9 - $0.0.count) + Terminal.clean($0.1) }
    return (head + [clients(status.clients)]).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func rows(_ radio: RadioStatus, _ status: DidReportStatus) -> [(String, String)] {
    let hardware = [radio.kind, radio.adapter, radio.address.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
    let devices = radio.kind == "mock" ? status.mockConfiguration.map { ": \($0)" } ?? "" : ""
    let row = ("Radio", "\(hardware), \(radio.state.name)\(devices)")
    return [row] + (radio.problem.map { [("", $0)] } ?? [])
  }

  private static func traffic(_ status: DidReportStatus) -> String {
    if status.lastActivity.isEmpty { return "none so far" }
    return (status.trafficActive ? "active: " : "idle; last: ") + status.lastActivity
  }

  private static func clients(_ clients: [ClientStatus]) -> String {
    guard !clients.isEmpty else { return "" }
    return "\n"
      + table(
        ["APP", "PID", "PROCESS", "LIBRARY", "SCANNING", "CONNECTED"],
        clients.map { client in
          [
            client.bundleId ?? "-", client.pid.map(String.init) ?? "-", client.process ?? "-",
            client.clientVersion ?? "-", client.isScanning ? "yes" : "no", "\(client.connectedPeripherals.count)",
          ]
        })
  }

  /// The two largest units.
  static func duration(_ seconds: Double) -> String {
    let total = Int(seconds)
    switch total {
    case ..<60: return "\(total) s"
    case ..<3600: return "\(total / 60) min \(total % 60) s"
    case ..<86400: return "\(total / 3600) h \(total % 3600 / 60) min"
    default: return "\(total / 86400) d \(total % 86400 / 3600) h"
    }
  }
}
