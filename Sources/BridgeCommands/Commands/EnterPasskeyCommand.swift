import BridgeProtocol

/// `bridge mock passkey`: what a person would type who pairs with a virtual device.
enum EnterPasskeyCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
    var device: PeripheralIdentifier?
    /// nil until it is given.
    var entry: String?
  }

  static let name = "mock passkey"
  static let summary = "Types the passkey that a virtual device shows, or refuses to."
  static let discussion = """
    Types six digits, or refuses with 'refuse', for virtual devices that an app is pairing with just now and that wait for
    it: those with 'passkeyEntry' asked, or all with passkeys under 'bridge serve --mock-passkey asked'. A device waits 30
    seconds.

    Exit status 1 says that none waits.
    """
  static var options: [Option<Settings>] {
    [
      .socket,
      .parsed(
        "--device", value: "ID", help: "Only this device (default: all that wait).", \.device, expecting: "a UUID"
      ) { text in PeripheralIdentifier(text).map { .some($0) } }, .json,
    ]
  }
  static var operand: Operand<Settings>? {
    Operand(value: "DIGITS|refuse") { (settings, text) throws(UsageError) in
      guard settings.entry == nil else { throw UsageError("unexpected argument '\(text)'") }
      guard text == "refuse" || MockDevice.isPasskey(text) else {
        throw UsageError("'\(text)' is neither six digits nor refuse")
      }
      settings.entry = text
    }
  }

  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    guard let entry = settings.entry else {
      Terminal.complain("bridge \(name): six digits or refuse are missing")
      return .usage
    }
    return settings.withService { client throws(ServiceClient.Failure) in
      client.send(
        .enterPasskey(EnterPasskey(id: settings.device, passkey: entry == "refuse" ? nil : entry)))
      while let message = try client.receive() {
        guard case .didEnterPasskey(let answer) = message else { continue }
        if settings.json {
          Terminal.sayJSON(message)
        } else if let error = answer.error {
          Terminal.complain("bridge: \(Terminal.clean(error.text))")
        } else {
          Terminal.say(answer.count == 1 ? "One device has it." : "\(answer.count) devices have it.")
        }
        return answer.error == nil ? .success : .nothingFound
      }
      return .failure
    }
  }
}
