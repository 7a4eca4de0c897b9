import BridgeIO
import Glibc
import TestSupport
import Testing

/// Programs whose output is heard.
@Suite @BridgeQueue struct ChildProcessTests {
  private final class Hearing {
    var lines: [String] = []
    var end: ChildProcess.End?
  }

  private func run(
    _ script: String, in folder: String? = nil, maximumLine: Int = 100, _ hearing: Hearing
  ) throws -> ChildProcess {
    let child = try ChildProcess(["sh", "-c", script], in: folder, maximumLine: maximumLine)
    child.onLine = { hearing.lines.append(String(decoding: $0, as: UTF8.self)) }
    child.onEnd = { hearing.end = $0 }
    return child
  }

  private func isGone(_ pid: pid_t) -> Bool { kill(pid, 0) != 0 && errno == ESRCH }

  @Test func linesAreHeardInOrderAndThenTheEnd() async throws {
    let hearing = Hearing()
    let child = try run("echo one; echo two; printf three; exit 3", hearing)
    #expect(await eventually { hearing.end != nil })
    #expect(hearing.lines == ["one", "two"])
    #expect(hearing.end == .exited(3))
    #expect(isGone(child.pid))
  }

  @Test func aSignalIsTold() async throws {
    let hearing = Hearing()
    _ = try run("kill -TERM $$", hearing)
    #expect(await eventually { hearing.end != nil })
    #expect(hearing.end == .killed(signal: SIGTERM))
  }

  @Test func itRunsInItsFolderWithoutOurDescriptors() async throws {
    let folder = TemporaryFolder()
    let hearing = Hearing()
    _ = try run("pwd; ls /proc/self/fd | tr '\\n' ' '; echo", in: folder.path, hearing)
    #expect(await eventually { hearing.end != nil })
    // ls has the folder itself open.
    #expect(hearing.lines.map { $0.hasSuffix(folder.path) || $0 == "0 1 2 3 " } == [true, true])
  }

  @Test func aProgramThatIsNotThereIsAnError() {
    #expect(throws: SystemError.self) { try ChildProcess(["/nothing/here"], maximumLine: 10) }
  }

  @Test func aLineThatIsTooLongEndsIt() async throws {
    let hearing = Hearing()
    let child = try run("echo short; head -c 100000 /dev/zero | tr '\\0' x; sleep 1000", maximumLine: 50, hearing)
    #expect(await eventually { hearing.end != nil })
    #expect(hearing.lines == ["short"])
    #expect(hearing.end == .lineTooLong(LineTooLong(limit: 50)))
    #expect(await eventually { isGone(child.pid) })
  }

  @Test func aProgramThatFloodsWaitsWhileNobodyReads() async throws {
    let hearing = Hearing()
    let child = try run("yes", hearing)
    child.onLine = { _ in
      hearing.lines.append("y")
      if hearing.lines.count.isMultiple(of: 10) { child.pauseReading() }
    }
    #expect(await eventually { hearing.lines.count == 10 })
    await turns(20)
    #expect(hearing.lines.count == 10)
    child.resumeReading()
    #expect(hearing.lines.count == 20)
    child.terminate()
    #expect(await eventually { isGone(child.pid) })
  }

  @Test func linesThatWaitedAreHeardAfterTheProgramHasGone() async throws {
    let hearing = Hearing()
    let child = try run("echo one; echo two", hearing)
    child.pauseReading()
    #expect(await eventually { isGone(child.pid) })
    await turns()
    #expect(hearing.lines.isEmpty && hearing.end == nil)
    child.resumeReading()
    #expect(await eventually { hearing.end != nil })
    #expect(hearing.lines == ["one", "two"])
  }

  @Test func whatItHasStartedGoesWithIt() async throws {
    let hearing = Hearing()
    let child = try run("sleep 1000 & echo $!; wait", hearing)
    #expect(await eventually { hearing.lines.count == 1 })
    let grandchild = try #require(pid_t(hearing.lines[0]))
    child.terminate()
    // Whoever is init here may not have taken its status yet.
    #expect(await eventually { isGone(grandchild) || isZombie(grandchild) })
    #expect(hearing.end == nil)
  }

  @Test func descriptorsAreNotKeptOfProgramsThatAreOver() async throws {
    let hearing = Hearing()
    weak var ended: ChildProcess?
    weak var terminated: ChildProcess?
    try await {
      ended = try run("exit 0", hearing)
      let child = try run("sleep 1000", Hearing())
      terminated = child
      child.terminate()
      #expect(await eventually { hearing.end != nil && isGone(child.pid) })
    }()
    #expect(await eventually { ended == nil && terminated == nil })
  }

  private func isZombie(_ pid: pid_t) -> Bool {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return true }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 200)
    guard fgets(&line, 200, file) != nil else { return true }
    return String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z")
  }
}
