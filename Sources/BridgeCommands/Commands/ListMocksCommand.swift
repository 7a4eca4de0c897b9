import BridgeProtocol

/// `bridge mock list`: the configurations that can be served.
enum ListMocksCommand: Command {
  static let name = "mock list"
  static let summary = "Configurations of virtual devices."
  static let discussion = """
    Lists the configurations that can be served: those that come with bridge, and those imported. An asterisk marks the
    one that the running service has chosen or, without one, the one that its next start takes.
    """
  static var options: [Option<MockSettings>] { [.socket, .stateDirectory, .json] }
  static func settings() -> MockSettings { MockSettings() }

  static func run(_ settings: MockSettings) -> ExitStatus {
    let used = nameInUse(settings)
    let entries = settings.library.entries
    if settings.json {
      for entry in entries { Terminal.say(MockListing.json(entry, isInUse: entry.name == used)) }
    } else {
      Terminal.say(MockListing.text(entries, inUse: used))
    }
    return .success
  }

  private static func nameInUse(_ settings: MockSettings) -> String {
    do throws(ServiceClient.Failure) {
      let service = try ServiceClient(path: settings.socket)
      service.send(.setMode(SetMode()))
      while let message = try service.receive(by: .now + .seconds(5)) {
        if case .didSetMode(let answer) = message, let name = answer.mockConfiguration { return name }
      }
    } catch {
      if !error.isAbsence {
        Terminal.complain("bridge: \(error.text)\nThe asterisk marks what the next start of a service takes.")
      }
    }
    return SavedChoice(in: settings.stateDirectory).mockConfiguration ?? MockConfiguration.stock[0].name
  }
}
