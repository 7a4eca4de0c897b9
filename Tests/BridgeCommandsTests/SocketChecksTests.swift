import BridgeIO
import Glibc
import TestSupport
import Testing

@testable import BridgeCommands

@Suite struct SocketChecksTests {
  @Test func aServiceWhoseRadioIsOffIsNotTakenForNone() throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let lock = try LockFile(locking: path + ".lock")
    let control = try UnixSocket.listen(at: SocketPath(path + ".control"), permissions: .init())
    let finding = SocketChecks(path: path).owner()
    #expect(finding.verdict == .notice)
    #expect(finding.finding.contains("process \(getpid())"))
    _ = consume control
    _ = consume lock
  }

  @Test func aPathWithoutAServiceIsFree() {
    let finding = SocketChecks(path: TemporaryFolder().file("s")).owner()
    #expect(finding.verdict == .good)
    #expect(finding.finding.contains("free"))
  }
}
