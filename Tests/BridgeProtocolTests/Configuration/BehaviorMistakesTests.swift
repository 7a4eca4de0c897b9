import BridgeProtocol
import Testing

/// All mistakes of a `behavior` object are told at once.
@Suite struct BehaviorMistakesTests {
  private func problems(
    _ behavior: String, characteristic: Bool = false
  ) -> (problems: [ConfigurationProblem], references: [LocalReference]) {
    let text =
      characteristic
      ? #"{"devices":[{"services":[{"uuid":"180F","characteristics":[{"uuid":"2A19","behavior":\#(behavior)}]}]}]}"#
      : #"{"devices":[{"behavior":\#(behavior)}]}"#
    var problems: [ConfigurationProblem] = []
    var references: [LocalReference] = []
    _ = MockConfigurationFile(
      Array(text.utf8), name: "test", folder: "/here", problems: &problems, references: &references)
    return (problems, references)
  }

  private func fields(_ behavior: String, characteristic: Bool = false) -> [String] {
    problems(behavior, characteristic: characteristic).problems.map {
      String($0.path.split(separator: "behavior.").last ?? "")
    }
  }

  @Test func eachFieldIsNamedOnce() {
    #expect(
      fields(#"{"connectionFailureRate":2,"readDelay":"slow","advertising":{"interval":"x"},"connectionError":99}"#)
        == ["connectionFailureRate", "readDelay", "advertising.interval", "connectionError"])
  }

  @Test func elementsKeepTheirPlaces() {
    let faults = """
      {"faults":[{"operation":"raed","attError":"5","count":"x"},{"operation":"read","attError":5},
        {"operation":"write","delay":-1,"rate":7}, 5, {"operation":"read","attError":5,"every":0}]}
      """
    #expect(
      fields(faults) == [
        "faults[0].operation", "faults[0].attError", "faults[0].count", "faults[2].delay", "faults[2].rate",
        "faults[3]",
        "faults[4].every",
      ])
  }

  @Test func whatIsLackingIsNamedAndTheRestIsRead() {
    #expect(
      fields(#"{"source":{"kind":"random","min":"a","interval":"b"},"readError":-1}"#, characteristic: true)
        == ["source.max", "source.min", "source.interval", "readError"])
  }

  @Test func whatFollowsFromAMistakeIsNone() {
    // Without its effect the fault would have none, which is not what is wrong with it.
    #expect(fields(#"{"faults":[{"operation":"read","attError":"5"}]}"#) == ["faults[0].attError"])
    #expect(fields(#"{"source":{"kind":"counter","to":"x","from":9}}"#, characteristic: true) == ["source.to"])
  }

  @Test func placesAreThoseOfTheFields() {
    let found = problems("{\n\"readDelay\": \"x\",\n\"seed\": {}}").problems
    #expect(found.map(\.line) == [2, 3] && found.map(\.column) == [14, 9])
  }

  @Test func damagedObjectsEndTheSearch() {
    for text in [
      "[]", "1e999", #"{"faults":{"a":1}}"#, #"{"faults":[[],[[]],null]}"#, #"{"advertising":{"schedule":[1,2]}}"#,
    ] {
      #expect(!problems(text).problems.isEmpty)
    }
  }

  @Test func anUploadIsToldItsFirstMistake() {
    let text = #"{"id":"x","name":"n","devices":[]}"#
    #expect(throws: ConfigurationProblem.self) { try MockConfiguration(upload: try JSONText(Array(text.utf8))) }
  }

  @Test func whatIsNamedOnThisMachineIsToldWithItsPlace() {
    let found = problems(
      #"{"source":{"kind":"csv","file":"a.csv","value":1},"read":{"kind":"command","command":["./b"],"timeout":2}}"#,
      characteristic: true
    ).references
    #expect(
      found.map(\.path)
        == ["source.file", "read.command"].map {
          "devices[0].services[0].characteristics[0].behavior." + $0
        })
    #expect(found.allSatisfy { $0.folder == "/here" && $0.line == 1 && $0.column > 1 })
    var command = LocalCommand(["./b"])
    command.timeout = 2
    #expect(
      found.map(\.target) == [.table(CSVFile(path: "a.csv", value: .position(1)), ValueEncoding()), .program(command)])
  }
}
