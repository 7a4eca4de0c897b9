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

  @Test func validateLooksForFilesProgramsAndSockets() throws {
    let text = """
      {"devices": [{
        "l2cap": [{"psm": 200, "kind": "socket", "path": "\(folder.file("none"))"}],
        "services": [{"uuid": "180F", "characteristics": [
          {"uuid": "2A19", "behavior": {"source": {"kind": "csv", "file": "gone.csv", "value": "v"}}},
          {"uuid": "2A19", "behavior": {"source": {"kind": "csv", "file": "here.csv", "value": "w"}}},
          {"uuid": "2A19", "behavior": {"source": {"kind": "csv", "file": "here.csv", "value": "v"}}},
          {"uuid": "2A19", "behavior": {"source": {"kind": "command", "command": ["./here.csv"]}}},
          {"uuid": "2A19", "behavior": {"read": {"kind": "command", "command": ["sh"]}}},
          {"uuid": "2A19", "behavior": {"read": {"kind": "command", "command": ["no-such-program"]}}}]}]}]}
      """
    folder.write(text, to: "files.json")
    folder.write("v\n1\n", to: "here.csv")
    let file = try ConfigurationFile(folder.file("files.json"))
    #expect(file.problems.isEmpty)
    let problems = file.references.compactMap(LocalReferenceCheck.problem)
    let fields = problems.map { String($0.path.split(separator: ".", maxSplits: 1).last ?? "") }
    #expect(
      fields == [
        "l2cap[0].path", "services[0].characteristics[0].behavior.source.file",
        "services[0].characteristics[1].behavior.source.file", "services[0].characteristics[3].behavior.source.command",
        "services[0].characteristics[5].behavior.read.command",
      ])
    #expect(problems.map(\.line) == [2, 4, 5, 7, 9])
    #expect(problems.map(\.severity) == [.warning, .error, .error, .error, .error])
    #expect(run("mock", "validate", file.path) == .nothingFound)
    // A machine where it is used later may have them.
    #expect(run("mock", "import", file.path) == .success)
  }

  @Test func aPasskeyIsSixDigitsOrRefused() {
    #expect(Bridge.run(["mock", "passkey", "--socket", folder.file("none")]) == .usage)
    #expect(Bridge.run(["mock", "passkey", "12345", "--socket", folder.file("none")]) == .usage)
    #expect(Bridge.run(["mock", "passkey", "123456", "--socket", folder.file("none")]) != .success)
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
