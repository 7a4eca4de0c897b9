import BridgeIO
import Glibc
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

  @Test func outputThatIsLostIsAFailure() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.failure.rawValue)) {
      dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO)
      Terminal.say("lost")
    }
  }

  @Test func aReaderWhoHasSeenEnoughIsNoFailure() async {
    await #expect(processExitsWith: .exitCode(ExitStatus.success.rawValue)) {
      SignalWatch.ignoreBrokenPipes()
      var ends: [CInt] = [0, 0]
      guard pipe(&ends) == 0 else { exit(17) }
      close(ends[0])
      dup2(ends[1], STDOUT_FILENO)
      Terminal.say("enough")
      exit(18)
    }
  }
}
