import BridgeProtocol

/// `bridge fault clear`.
enum ClearFaultsCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
    var number: Int?
  }

  static let name = "fault clear"
  static let summary = "take faults back"
  static let discussion = """
    Takes one fault back, by the number that 'bridge fault list' shows, or all of them without a number.
    """
  static var options: [Option<Settings>] { [.socket, .json] }
  static var operand: Operand<Settings>? {
    Operand(value: "[NUMBER]") { (settings, text) throws(UsageError) in
      guard let number = Int(text), number > 0 else { throw UsageError("'\(text)' is no fault's number") }
      guard settings.number == nil else { throw UsageError("one number, or none for all") }
      settings.number = number
    }
  }

  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    settings.withService { client throws(ServiceClient.Failure) in
      client.send(.clearFaults(ClearFaults(number: settings.number)))
      while let message = try client.receive() {
        guard case .didClearFaults(let answer) = message else { continue }
        if settings.json { Terminal.sayJSON(message) } else { say(answer) }
        return answer.error == nil ? .success : .nothingFound
      }
      return .failure
    }
  }

  private static func say(_ answer: DidClearFaults) {
    if let error = answer.error { return Terminal.complain("bridge: \(Terminal.clean(error.text))") }
    switch answer.count {
    case 0: Terminal.say("No faults were set.")
    case 1: Terminal.say("One fault is cleared.")
    default: Terminal.say("\(answer.count) faults are cleared.")
    }
  }
}
