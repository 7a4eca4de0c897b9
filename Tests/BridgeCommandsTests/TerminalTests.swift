import Testing

@testable import BridgeCommands

@Suite struct TerminalTests {
  @Test func columnsAreAsWideAsTheirWidestCell() {
    #expect(
      table(["NAME", "N", "LAST"], [["Lamp", "100", "Read"], ["Thermometer", "2", ""]])
        == "NAME         N    LAST\nLamp         100  Read\nThermometer  2    ")
  }

  @Test func aDeviceNameCannotSteerTheTerminal() {
    #expect(table(["NAME"], [["\u{1B}[2Jevil\u{07}\n"]]) == "NAME\n [2Jevil  ")
  }
}
