import BridgeProtocol

/// `bridge mock show`: the devices of a configuration.
enum ShowMockCommand: Command {
  static let name = "mock show"
  static let summary = "The virtual devices of a configuration."
  static let discussion = """
    Shows a configuration by its name, in upper or lower case, or that of a file. With --json the whole of it, laid out
    and complete: a start for one's own.

      bridge mock show "Heart Rate Monitor" --json >mine.json
    """
  static var options: [Option<MockSettings>] { [.stateDirectory, .flag("--json", help: "The configuration.", \.json)] }
  static var operand: Operand<MockSettings>? { .subject("NAME|FILE") }
  static func settings() -> MockSettings { MockSettings() }

  static func run(_ settings: MockSettings) -> ExitStatus {
    settings.withSubject("NAME") { (name) throws(ServiceClient.Failure) in
      let configuration: MockConfiguration
      do throws(ConfigurationFailure) { configuration = try settings.library.configuration(name) } catch {
        throw ServiceClient.Failure(error)
      }
      Terminal.say(settings.json ? json(configuration) : MockListing.devices(of: configuration))
      return .success
    }
  }

  private static func json(_ configuration: MockConfiguration) -> String {
    let text = String(decoding: MockConfigurationFile([configuration]).json(isComplete: true), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
