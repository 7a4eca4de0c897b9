import BridgeProtocol

/// `bridge mode`: what is served, and changing it.
enum ModeCommand: Command {
  struct Settings: StateSettings {
    var socket = StandardSocket.preferred
    var json = false
    var stateDirectory = StateDirectory.preferred
    var mode: RadioMode?
  }

  static let name = "mode"
  static let summary = "What is served: the adapter, virtual devices, both. Changes it, too."
  static let discussion = """
    Without MODE tells what is served; with it changes that, at once and for later starts:

      auto     the adapter if there is one, else virtual devices until there is one
      bluez    the adapter
      mock     virtual devices; which ones, 'bridge mock' says
      both     the adapter and virtual devices side by side
      off      nothing: for apps Bluetooth is off

    Apps are disconnected by a change, so that they see that they are in another world; ImpossiBLE's clients come back
    by themselves. Without a running service the choice is saved for its next start.
    """
  static var options: [Option<Settings>] { [.socket, .stateDirectory, .json] }
  static func settings() -> Settings { Settings() }

  static var operand: Operand<Settings>? {
    Operand(value: "[MODE]") { (settings, text) throws(UsageError) in
      guard settings.mode == nil else { throw UsageError("unexpected argument '\(text)'") }
      guard let mode = RadioMode(rawValue: text) else {
        throw UsageError("there is no mode '\(text)': it is auto, bluez, mock, both or off")
      }
      settings.mode = mode
    }
  }

  static func run(_ settings: Settings) -> ExitStatus {
    do throws(ServiceClient.Failure) {
      let (answer, isServed) = try settings.choose(SetMode(mode: settings.mode))
      if settings.json {
        Terminal.sayJSON(.didSetMode(answer))
      } else {
        Terminal.say(text(answer, isServed: isServed, isChange: settings.mode != nil, settings))
      }
      return .success
    } catch {
      Terminal.complain("bridge: \(error.text)")
      return error.status
    }
  }

  static func text(_ answer: DidSetMode, isServed: Bool, isChange: Bool, _ settings: Settings) -> String {
    let mode = answer.mode.rawValue
    guard isServed else {
      return "No service runs at \(settings.socket). "
        + (isChange ? "Its next start takes mode \(mode)" : "The next start would take mode \(mode)")
        + " (saved in \(settings.stateDirectory))."
    }
    let devices = answer.mockConfiguration.map { "virtual devices '\($0)'" } ?? "virtual devices"
    let serving =
      switch ServedMode(rawValue: answer.serving) {
      case .passthrough: "the adapter"
      case .mock: devices
      case .both: "the adapter and \(devices)"
      case .replay: "a recording"
      case .off, nil: "nothing"
      }
    return Terminal.clean("Mode \(mode), serving \(serving).")
  }
}
