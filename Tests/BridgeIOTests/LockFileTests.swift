import BridgeIO
import Glibc
import TestSupport
import Testing

@Suite struct LockFileTests {
  @Test func theLoserIsToldWhoHoldsIt() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.lock")
    let lock = try LockFile(locking: path)
    #expect(folder.read("a.lock") == "\(getpid())\n")
    #expect(throws: SocketError.inUse(path, by: SocketOwner(pid: getpid()))) { _ = try LockFile(locking: path) }
    #expect(lock.path == path)
  }

  @Test func itIsFreeAgainWhenTheHolderLetsGo() throws {
    let folder = TemporaryFolder()
    do { _ = try LockFile(locking: folder.file("a.lock")) }
    #expect(folder.read("a.lock") == nil)
    _ = try LockFile(locking: folder.file("a.lock"))
  }

  @Test func aFileLeftByADeadProcessIsNoObstacle() throws {
    let folder = TemporaryFolder()
    folder.write("999999\n", to: "a.lock")
    let lock = try LockFile(locking: folder.file("a.lock"))
    #expect(folder.read("a.lock") == "\(getpid())\n")
    _ = lock
  }

  @Test func aLinkIsNotFollowed() throws {
    let folder = TemporaryFolder()
    folder.write("precious", to: "other")
    symlink(folder.file("other"), folder.file("a.lock"))
    #expect(throws: SocketError.self) { _ = try LockFile(locking: folder.file("a.lock")) }
    #expect(folder.read("other") == "precious")
  }
}
