import BridgeProtocol

/// `bridge fault add`.
enum AddFaultCommand: Command {
  static let name = "fault add"
  static let summary = "let something go wrong: errors, delays, lost links"
  static let discussion = """
    Makes the running service spoil operations of real and virtual devices, so that an app's handling of
    errors can be tested. A fault lasts until it has struck as often as --count says, is cleared, or the
    service ends. What happens is decided by the seed: the same seed gives the same run.

      bridge fault add --device "Bench Meter" --operation read --characteristic 2A19 --att-error 0x05 --count 1
          the next read of the battery level fails: authentication
      bridge fault add --operation connect --cb-error 10 --rate 0.3
          three connects in ten fail
      bridge fault add --operation notification --delay 200ms
          every notification comes late
      bridge fault add --device "Bench Meter" --drop
          the link is lost now; if there is none, the next one
      bridge fault add --operation link --drop --delay 10s
          every link is lost after ten seconds
    """
  static var options: [Option<FaultSettings>] { FaultSettings.options }

  static func settings() -> FaultSettings { FaultSettings() }

  static func run(_ settings: FaultSettings) -> ExitStatus {
    let rule: FaultRule
    do throws(UsageError) { rule = try settings.completeRule() } catch {
      Terminal.complain("bridge \(name): \(error.text)\nTry 'bridge \(name) --help'.")
      return .usage
    }
    return settings.withService { client throws(ServiceClient.Failure) in
      client.send(.setFault(SetFault(fault: rule)))
      while let message = try client.receive() {
        guard case .didSetFault(let answer) = message else { continue }
        if settings.json { Terminal.sayJSON(message) } else { say(answer, rule) }
        return answer.error == nil ? .success : .failure
      }
      return .failure
    }
  }

  private static func say(_ answer: DidSetFault, _ rule: FaultRule) {
    guard let number = answer.number else {
      return Terminal.complain("bridge: \(Terminal.clean(answer.error?.text ?? "the fault was not set"))")
    }
    var text = "Fault \(number) is set."
    if rule.operation == .link, rule.delay == 0 {
      text +=
        answer.applied > 0
        ? " \(answer.applied == 1 ? "One link was" : "\(answer.applied) links were") struck."
        : " There is no such link now; the next one is struck."
    }
    Terminal.say(text)
  }
}
