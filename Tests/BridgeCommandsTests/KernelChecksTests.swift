import FoundationEssentials
import Testing

@testable import BridgeCommands

@Suite struct KernelChecksTests {
  /// A `/sys` with these files, for the length of `body`.
  private func withSysfs<Result>(_ files: [String: String], _ body: (KernelChecks) throws -> Result) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "sysfs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return try body(KernelChecks(sysfs: root.path))
  }

  @Test func aMachineWithoutAControllerIsToldToGetOne() throws {
    let finding = try withSysfs([:]) { $0.adapter() }
    #expect(finding.verdict == .problem)
    #expect(finding.advice.contains("dongle"))
  }

  @Test func linksAreNotTakenForControllers() throws {
    let finding = try withSysfs(
      ["class/bluetooth/hci1/address": "x", "class/bluetooth/hci1:64/type": "x"]
    ) { $0.adapter() }
    #expect(finding.verdict == .good)
    #expect(finding.finding == "hci1")
  }

  @Test(arguments: [("1", "0", "software"), ("0", "1", "hardware switch")])
  func rfkillNamesDeviceAndKind(_ soft: String, _ hard: String, _ kind: String) throws {
    let finding = try withSysfs([
      "class/rfkill/rfkill0/type": "wlan\n", "class/rfkill/rfkill0/soft": "1\n", "class/rfkill/rfkill0/hard": "0\n",
      "class/rfkill/rfkill1/type": "bluetooth\n", "class/rfkill/rfkill1/name": "hci0\n",
      "class/rfkill/rfkill1/soft": soft + "\n", "class/rfkill/rfkill1/hard": hard + "\n",
    ]) { $0.rfkill() }
    #expect(finding.verdict == .problem)
    #expect(finding.finding.contains("hci0") && finding.finding.contains(kind))
  }

  @Test func wirelessNetworksAreNotBluetooth() throws {
    let finding = try withSysfs([
      "class/rfkill/rfkill0/type": "wlan", "class/rfkill/rfkill0/soft": "1", "class/rfkill/rfkill0/hard": "1",
    ]) { $0.rfkill() }
    #expect(finding.verdict == .good)
  }
}
