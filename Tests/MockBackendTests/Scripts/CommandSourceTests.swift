import BridgeIO
import BridgeProtocol
import Glibc
import MockBackend
import Radio
import TestSupport
import Testing

/// Local commands whose lines are values: what they write, and what they may not do.
@Suite @BridgeQueue struct CommandSourceTests {
  private func world(_ script: String, _ more: String = "", folder: String? = nil) throws -> ScriptedWorld {
    let command = String(
      decoding: JSONValue.array([.string("sh"), .string("-c"), .string(script)]).jsonLine(), as: UTF8.self)
    return try ScriptedWorld(level: #"{"source": {"kind": "command", "command": \#(command)\#(more)}}"#, folder: folder)
  }

  private func isGone(_ pid: pid_t) -> Bool { kill(pid, 0) != 0 && errno == ESRCH }

  @Test func linesAreNotified() async throws {
    let world = try world("echo 1; echo ' 2 '; echo no number; echo 300; exec sleep 1000")
    await world.connect()
    await world.subscribe()
    #expect(await world.values(3) == [[1], [2], [255]])
    #expect(await world.read() == [255])
    await world.stop()
  }

  @Test func aCommandRunsInTheFolderOfTheFile() async throws {
    let folder = TemporaryFolder()
    try WholeFile.replace(folder.file("run.sh"), with: Array("#!/bin/sh\ncat value\n".utf8))
    chmod(folder.file("run.sh"), 0o700)
    try WholeFile.replace(folder.file("value"), with: Array("0a0b\n".utf8))
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "command", "command": ["./run.sh"], "format": "hex"}}"#, folder: folder.path)
    await world.connect()
    await world.subscribe()
    #expect(await world.values(1) == [[10, 11]])
  }

  @Test func aCommandEndsWithTheSubscriptionAndWithTheWorld() async throws {
    for stopsWorld in [false, true] {
      let world = try world("echo $$; exec sleep 1000", #", "format": "text""#)
      await world.connect()
      await world.subscribe()
      let line = try #require(await world.values(1).first)
      let pid = try #require(pid_t(String(decoding: line, as: UTF8.self)))
      #expect(!isGone(pid))
      if stopsWorld {
        await world.stop()
      } else {
        _ = await world.world.setNotify(false, world.handle(), world.device)
      }
      #expect(await eventually { isGone(pid) })
    }
  }

  @Test func aCommandThatDiesIsStartedAgainIfItsPolicySaysSo() async throws {
    let folder = TemporaryFolder()
    let script = "echo x >> count; wc -l < count; exit 1"
    let again = try world(script, #", "restart": "onFailure""#, folder: folder.path)
    await again.connect()
    await again.subscribe()
    #expect(await again.values(2) == [[1], [2]])
    await again.stop()
    let done = try world("echo 7", #", "restart": "onFailure""#)
    await done.connect()
    await done.subscribe()
    #expect(await done.values(1) == [[7]])
    await pass(.milliseconds(1200))
    #expect(done.values.count == 1)
  }

  @Test func aCommandThatFloodsIsSlowedDown() async throws {
    let world = try world("yes 5", #", "maximumRate": 10"#)
    await world.connect()
    let begun = ContinuousClock.now
    await world.subscribe()
    #expect(await world.values(10).count == 10)
    await pass(.milliseconds(100))
    // The ten of each second that has begun: on a busy machine that may be several.
    let seconds = Int((ContinuousClock.now - begun) / .seconds(1)) + 1
    #expect(world.values.count <= 10 * (seconds + 1))
    #expect(await world.read() == [5])
    await world.stop()
  }

  @Test func aCommandThatFloodsWithoutLinesIsEnded() async throws {
    let world = try world("echo $$; exec tr '\\0' x < /dev/zero", #", "format": "text""#)
    await world.connect()
    await world.subscribe()
    let line = try #require(await world.values(1).first)
    let pid = try #require(pid_t(String(decoding: line, as: UTF8.self)))
    #expect(await eventually { isGone(pid) })
    #expect(world.values.count == 1)
  }

  @Test func aCommandThatIsNotThereIsNoHarm() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "command", "command": ["./nothing"], "restart": "always"}}"#)
    await world.connect()
    await world.subscribe()
    await turns()
    #expect(await world.read() == [100])
    await world.stop()
  }
}
