import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeCommands

@Suite struct MockCommandTests {
  private let folder = TemporaryFolder()

  private func run(_ command: String, _ arguments: String...) -> BridgeCommands.ExitStatus {
    var arguments = [command] + arguments
    // What has no use for them does not take them.
    if !arguments.contains("validate") { arguments += ["--state-dir", folder.file("state")] }
    if command == "mode" || arguments.contains("list") || arguments.contains("use") {
      arguments += ["--socket", folder.file("none")]
    }
    return Bridge.run(arguments)
  }

  @Test func mistakesOfTheCommandLineAreUsageErrors() {
    #expect(run("mock") == .usage)
    #expect(run("mock", "lits") == .usage)
    #expect(run("mock", "show") == .usage)
    #expect(run("mock", "list", "all") == .usage)
    #expect(run("mock", "show", "a", "b") == .usage)
    #expect(run("mode", "sideways") == .usage)
    #expect(run("mode", "mock", "both") == .usage)
  }

  @Test func whatIsImportedIsListedShownAndUsed() throws {
    folder.write(#"{"devices": [{"name": "Lamp"}]}"#, to: "lamps.json")
    #expect(run("mock", "import", folder.file("lamps.json")) == .success)
    #expect(run("mock", "import", folder.file("lamps.json"), "--name", "Other", "--json") == .success)
    #expect(run("mock", "import", folder.file("lamps.json"), "--name", "Heart Rate Monitor") == .failure)
    #expect(run("mock", "list") == .success && run("mock", "list", "--json") == .success)
    #expect(run("mock", "show", "other") == .success && run("mock", "show", "lamps", "--json") == .success)
    #expect(run("mock", "show", "moon") == .failure)
    #expect(run("mock", "use", "moon") == .failure)
    #expect(run("mock", "use", "OTHER") == .success)
    #expect(run("mode", "mock") == .success && run("mode") == .success)
    #expect(
      SavedChoice(in: folder.file("state")) == SavedChoice(mode: .mock, mockConfiguration: "Other"))
  }

  @Test func validateNamesPlaceFieldAndMistake() throws {
    let text = """
      {"name": "Lamps", "devices": [
        {"name": "Lamp", "rssi": "loud",
         "services": [{"uuid": "18"}]}
      ]}
      """
    folder.write(text, to: "bad.json")
    let file = try ConfigurationFile(folder.file("bad.json"))
    #expect(
      file.lines(file.problems) == [
        "\(file.path):2:28: error: devices[0].rssi: not an integer",
        "\(file.path):3:26: error: devices[0].services[0].uuid: not a UUID",
      ])
    #expect(run("mock", "validate", file.path) == .nothingFound)
    #expect(run("mock", "validate", file.path, "--json") == .nothingFound)
    #expect(run("mock", "import", file.path) == .failure)
    #expect(run("mock", "validate", "/nonexistent") == .failure)
  }

  @Test func anUploadIsCheckedMoreStrictly() throws {
    folder.write(#"{"name": "Lamps", "devices": [{"name": "Lamp"}]}"#, to: "short.json")
    #expect(run("mock", "validate", folder.file("short.json")) == .success)
    #expect(run("mock", "validate", folder.file("short.json"), "--upload") == .nothingFound)
    let whole = MockConfigurationFile([.stock[3]]).json(isComplete: true)
    folder.write(String(decoding: whole, as: UTF8.self), to: "whole.json")
    #expect(run("mock", "validate", folder.file("whole.json"), "--upload") == .success)
  }

  @Test func whatIsServedIsSaidInASentence() {
    let settings = ModeCommand.Settings()
    let answer = DidSetMode(mode: .auto, serving: "both", mockConfiguration: "Lamps")
    #expect(
      ModeCommand.text(answer, isServed: true, isChange: false, settings)
        == "Mode auto, serving the adapter and virtual devices 'Lamps'.")
    #expect(UseMockCommand.text(answer, isServed: true) == "Serving 'Lamps'.")
    let other = DidSetMode(mode: .bluez, serving: "passthrough", mockConfiguration: "Lamps")
    #expect(UseMockCommand.text(other, isServed: true).contains("not served now"))
    #expect(UseMockCommand.text(other, isServed: false).contains("next start"))
  }
}
