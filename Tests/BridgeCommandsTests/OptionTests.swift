import Testing

@testable import BridgeCommands

@Suite struct OptionTests {
  struct Settings: Equatable {
    var name = ""
    var loud = false
    var count = 1
  }

  private let options: [BridgeCommands.Option<Settings>] = [
    .text("--name", "-n", value: "NAME", help: "", \.name),
    .flag("--loud", help: "", \.loud),
    .parsed("--count", value: "N", help: "", \.count, expecting: "a number") { Int($0) },
  ]

  private func parsed(_ arguments: String...) throws -> Settings {
    var settings = Settings()
    try parse(arguments, with: options, into: &settings)
    return settings
  }

  @Test func bothSpellingsOfAValueAreTheSame() throws {
    #expect(try parsed("--name", "x", "--count=3", "--loud") == Settings(name: "x", loud: true, count: 3))
    #expect(try parsed("-n=a=b") == Settings(name: "a=b"))
  }

  @Test(
    arguments: [
      (["--nmae", "x"], "unknown option --nmae"), (["x"], "unexpected argument 'x'"),
      (["--name"], "--name needs a value: NAME"), (["--loud=yes"], "--loud takes no value"),
      (["--count", "three"], "--count takes a number, not 'three'"),
    ])
  func mistakesAreNamed(_ arguments: [String], _ text: String) {
    var settings = Settings()
    do throws(UsageError) {
      try parse(arguments, with: options, into: &settings)
      Issue.record("accepted")
    } catch {
      #expect(error.text == text)
    }
  }
}
