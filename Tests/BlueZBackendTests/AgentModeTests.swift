import Testing

@testable import BlueZBackend

@Suite struct AgentModeTests {
  @Test func `the command line's words`() {
    #expect(
      AgentMode.allCases.map(\.rawValue)
        == ["none", "auto", "just-works", "display", "confirm", "keyboard", "keyboard-display"])
    #expect(AgentMode(rawValue: "just-works") == .justWorks)
  }

  @Test func `capabilities are BlueZ's`() {
    let known = ["DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
    for mode in AgentMode.allCases { #expect(known.contains(mode.capability)) }
    #expect(AgentMode.auto.capability == "NoInputNoOutput" && !AgentMode.auto.isDefault)
    #expect(AgentMode.justWorks.isDefault)
  }

  @Test func `a passkey is one to six digits`() {
    #expect(AgentConfiguration.passkey("123456") == 123456)
    #expect(AgentConfiguration.passkey("000042") == 42)
    for text in ["", "1234567", "-1", "+12345", "12a", "１２３"] { #expect(AgentConfiguration.passkey(text) == nil) }
  }
}
