import BridgeProtocol

/// `bridge mock import`: makes a file's configurations ones that can be served by name.
enum ImportMockCommand: Command {
  static let name = "mock import"
  static let summary = "Takes a file's configurations in, to be served by name."
  static let discussion = """
    Checks a file and keeps its configurations in the service's state directory, each under its name; one that was
    imported under that name before is replaced. The file is in ImpossiBLE's format: one configuration, an array of
    them, or an array of devices, which is named as the file. A service that runs as another user has another state
    directory: run this as that user, or name it with --state-dir.
    """
  static var options: [Option<MockSettings>] {
    [
      .text("--name", value: "NAME", help: "Keep the one configuration under this name.", \.name), .stateDirectory,
      .json,
    ]
  }
  static var operand: Operand<MockSettings>? { .subject("FILE") }
  static func settings() -> MockSettings { MockSettings() }

  static func run(_ settings: MockSettings) -> ExitStatus {
    settings.withSubject("FILE") { (path) throws(ServiceClient.Failure) in
      do throws(ConfigurationFailure) {
        for configuration in try configurations(of: path, settings) {
          try settings.library.add(configuration)
          report(configuration, settings)
        }
        return .success
      } catch { throw ServiceClient.Failure(error) }
    }
  }

  private static func configurations(
    of path: String, _ settings: MockSettings
  ) throws(ConfigurationFailure) -> [MockConfiguration] {
    let file = try ConfigurationFile(path)
    for line in file.lines(file.problems.filter { $0.severity == .warning }) { Terminal.complain(line) }
    var configurations = try file.usable()
    guard !settings.name.isEmpty else { return configurations }
    guard configurations.count == 1 else {
      throw ConfigurationFailure("--name is for files with one configuration; \(path) has \(configurations.count).")
    }
    configurations[0].name = settings.name
    return configurations
  }

  private static func report(_ configuration: MockConfiguration, _ settings: MockSettings) {
    if settings.json {
      Terminal.say(MockListing.json(configuration, isStock: false, isInUse: nil))
    } else {
      let count = MockListing.count(of: configuration.devices.count)
      Terminal.say(Terminal.clean("Imported '\(configuration.name)', \(count). 'bridge mock use' serves it."))
    }
  }
}
