import BridgeProtocol

/// `bridge fault list`.
enum ListFaultsCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
  }

  static let name = "fault list"
  static let summary = "the faults that are set, and how often they struck"
  static let discussion = """
    Shows what 'bridge fault add' and other tools have set on the running service, with the numbers by which 'bridge fault
    clear' takes them back. Behind them come those of the mock configuration that is served, as 'file': they go with it.
    """
  static var options: [Option<Settings>] { [.socket, .json] }

  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    settings.withService { client throws(ServiceClient.Failure) in
      client.send(.faults(Faults()))
      while let message = try client.receive() {
        guard case .didReportFaults(let report) = message else { continue }
        if settings.json { Terminal.sayJSON(message) } else { Terminal.say(text(of: report)) }
        return .success
      }
      return .failure
    }
  }

  static func text(of report: DidReportFaults) -> String {
    if report.faults.isEmpty { return "No faults are set." }
    return table(
      ["NUMBER", "STRUCK", "OPERATION", "WHERE", "WHEN", "WHAT"],
      report.faults.map { fault in
        let rule = fault.rule
        return [
          fault.number.map(String.init) ?? "file", "\(fault.applied)", rule.operation.rawValue, rule.place,
          rule.occasion, rule.effect,
        ]
      })
  }
}

extension FaultRule {
  fileprivate var place: String {
    let attributes = [service, characteristic, descriptor].compactMap { $0?.text }
    return ([id?.text ?? name ?? "all devices"] + attributes).joined(separator: " ")
  }

  fileprivate var occasion: String {
    var parts: [String] = []
    if after > 0 { parts.append("after \(after)") }
    if every > 1 { parts.append("every \(every)") }
    if rate < 1 { parts.append("rate \(rate) (seed \(seed ?? 0))") }
    if let count { parts.append(count == 1 ? "once" : "\(count) times") }
    if perLink { parts.append("per link") }
    return parts.isEmpty ? "always" : parts.joined(separator: ", ")
  }

  fileprivate var effect: String {
    var parts: [String] = []
    if let error { parts.append("\(error.domain == .attribute ? "ATT error" : "CBError") \(error.code)") }
    if delay > 0 || jitter > 0 { parts.append("delay \(delay) s" + (jitter > 0 ? " + up to \(jitter) s" : "")) }
    if lose { parts.append("lost") }
    if drop { parts.append("drop the link") }
    if changeServices { parts.append("services change") }
    return parts.joined(separator: ", ")
  }
}
