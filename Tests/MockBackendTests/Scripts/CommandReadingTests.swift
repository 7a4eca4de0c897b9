import BridgeIO
import BridgeProtocol
import Glibc
import MockBackend
import Radio
import TestSupport
import Testing

/// Reads whose value a local command gives.
@Suite @BridgeQueue struct CommandReadingTests {
  private func world(_ script: String, _ more: String = "", folder: String? = nil) throws -> ScriptedWorld {
    let command = String(
      decoding: JSONValue.array([.string("sh"), .string("-c"), .string(script)]).jsonLine(), as: UTF8.self)
    return try ScriptedWorld(level: #"{"read": {"kind": "command", "command": \#(command)\#(more)}}"#, folder: folder)
  }

  private func error(_ world: ScriptedWorld) async -> BluetoothError? {
    await world.world.read(world.handle(), world.device).error
  }

  @Test func eachReadRunsItAnew() async throws {
    let folder = TemporaryFolder()
    let world = try world("echo x >> count; wc -l < count; echo 99", folder: folder.path)
    await world.connect()
    #expect(await world.read() == [1])
    #expect(await world.read() == [2])
    #expect(folder.read("count") == "x\nx\n")
  }

  @Test func aLongValueIsOfOneRun() async throws {
    let folder = TemporaryFolder()
    let script = "echo x >> count; i=0; while [ $i -lt 500 ]; do printf a; i=$((i+1)); done; echo"
    let world = try world(script, #", "format": "text""#, folder: folder.path)
    world.radio.configuration.devices[0].mtu = 23
    await world.connect()
    #expect(await world.read() == Array(repeating: UInt8(ascii: "a"), count: 500))
    #expect(folder.read("count") == "x\n")
  }

  @Test(arguments: ["exit 1", "exit 0", "echo nothing", "kill -9 $$", "exec no-such-program"])
  func withoutAValueTheReadFails(_ script: String) async throws {
    let world = try world(script)
    await world.connect()
    #expect(await error(world) == .attribute(0x0E))
    // It was this read's own trouble.
    #expect(world.radio.isConnected(world.device))
  }

  @Test func whatFloodsIsEndedAtItsFirstLine() async throws {
    let world = try world("echo 7; exec yes")
    await world.connect()
    #expect(await world.read() == [7])
    let endless = try self.world("yes | tr -d '\\n'", #", "maximumLine": 100"#)
    await endless.connect()
    #expect(await error(endless) == .attribute(0x0E))
  }

  @Test func whatHangsIsKilledInTime() async throws {
    let folder = TemporaryFolder()
    let world = try world("echo $$ > pid; exec sleep 1000", #", "timeout": 0.3"#, folder: folder.path)
    await world.connect()
    #expect(await error(world) == .attribute(0x0E))
    let pid = try #require(folder.read("pid").flatMap { pid_t($0.dropLast()) })
    #expect(await eventually { kill(pid, 0) != 0 && errno == ESRCH })
  }

  @Test func theEndOfTheWorldKillsIt() async throws {
    let folder = TemporaryFolder()
    let world = try world("echo $$ > pid; exec sleep 1000", folder: folder.path)
    await world.connect()
    world.radio.read(world.handle(), of: world.device) { _ in }
    #expect(await eventually { folder.read("pid")?.hasSuffix("\n") == true })
    let pid = try #require(folder.read("pid").flatMap { pid_t($0.dropLast()) })
    await world.stop()
    #expect(await eventually { kill(pid, 0) != 0 && errno == ESRCH })
  }

  @Test func anUploadMayNotRunPrograms() throws {
    let configuration = try ScriptedWorld.configuration(
      level: #"{"read": {"kind": "command", "command": ["date"]}}"#)
    #expect(configuration.reachesIntoMachine)
    #expect(throws: ConfigurationProblem.self) {
      try MockConfiguration(upload: try JSONText(configuration.json(isComplete: true)))
    }
  }
}
