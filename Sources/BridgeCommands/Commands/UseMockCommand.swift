import BridgeProtocol

/// `bridge mock use`: which virtual devices are served.
enum UseMockCommand: Command {
  static let name = "mock use"
  static let summary = "Chooses the configuration of virtual devices that is served."
  static let discussion = """
    The running service serves the configuration from now on; without one its next start does. Names are those of
    'bridge mock list', in upper or lower case.

    Apps stay connected: they keep the devices that are in both configurations, and lose the others. Virtual
    devices are served in the modes mock and both, and in auto without an adapter: see 'bridge help mode'.
    """
  static var options: [Option<MockSettings>] { [.socket, .stateDirectory, .json] }
  static var operand: Operand<MockSettings>? { .subject("NAME") }
  static func settings() -> MockSettings { MockSettings() }

  static func run(_ settings: MockSettings) -> ExitStatus {
    settings.withSubject("NAME") { (name) throws(ServiceClient.Failure) in
      let known = Result { () throws(ConfigurationFailure) in try settings.library.configuration(named: name).name }
      // The service looks in its own state directory, which may be another: only without one ours counts.
      let (answer, isServed) = try settings.choose(SetMode(mockConfiguration: (try? known.get()) ?? name)) {
        () throws(ServiceClient.Failure) in
        if case .failure(let reason) = known { throw ServiceClient.Failure(reason) }
      }
      if settings.json {
        Terminal.sayJSON(.didSetMode(answer))
      } else {
        Terminal.say(text(answer, isServed: isServed))
      }
      return .success
    }
  }

  static func text(_ answer: DidSetMode, isServed: Bool) -> String {
    let name = Terminal.clean(answer.mockConfiguration ?? "")
    guard isServed else { return "No service runs; its next start takes '\(name)'." }
    let isMock = [ServedMode.mock.rawValue, ServedMode.both.rawValue].contains(answer.serving)
    return isMock
      ? "Serving '\(name)'."
      : "'\(name)' is chosen, but virtual devices are not served now: 'bridge mode mock' or 'bridge mode both' does."
  }
}
