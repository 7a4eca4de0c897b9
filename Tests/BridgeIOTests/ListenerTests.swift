import Glibc
import TestSupport
import Testing

@testable import BridgeIO

@Suite struct ListenerTests {
  @BridgeQueue private func listen(at path: String, mode: UInt32 = 0o600) throws -> Listener {
    try Listener(at: SocketPath(path), permissions: .init(mode: mode)) { _ in }
  }

  private func mode(of path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test @BridgeQueue func connectionsArriveWithTheirPeersName() async throws {
    let folder = TemporaryFolder()
    let path = try SocketPath(folder.file("s"))
    var listener: Listener?
    let owner = try await withCheckedThrowingContinuation { continuation in
      do {
        listener = try Listener(at: path, permissions: .init()) {
          continuation.resume(returning: SocketOwner(peerOf: $0))
        }
        BridgeIO.Thread.start(named: "connect") { _ = try? UnixSocket.connect(to: path) }
      } catch { continuation.resume(throwing: error) }
    }
    #expect(owner.pid == getpid())
    #expect(!owner.processName.isEmpty)
    listener?.close()
  }

  @Test @BridgeQueue func theFileHasTheModeAskedForAndGoesWithTheListener() throws {
    let folder = TemporaryFolder()
    let closed = try listen(at: folder.file("closed"))
    let open = try listen(at: folder.file("open"), mode: 0o666)
    #expect(mode(of: closed.path.text) == 0o600)
    #expect(mode(of: open.path.text) == 0o666)
    closed.close()
    open.close()
    #expect(mode(of: closed.path.text) == 0)
  }

  @Test @BridgeQueue func aStaleSocketIsReplaced() throws {
    let folder = TemporaryFolder()
    let path = try SocketPath(folder.file("s"))
    do { _ = try UnixSocket.listen(at: path, permissions: .init()) }
    #expect(mode(of: path.text) == 0o600)
    let listener = try listen(at: path.text)
    #expect(UnixSocket.isLive(path))
    listener.close()
  }

  @Test @BridgeQueue func aForeignFileIsLeftAlone() throws {
    let folder = TemporaryFolder()
    folder.write("mine", to: "s")
    #expect(throws: SocketError.notASocket(folder.file("s"))) { try listen(at: folder.file("s")) }
    #expect(folder.read("s") == "mine")
  }

  @Test @BridgeQueue func aLiveOwnerIsNamedAndNotDisturbed() throws {
    let folder = TemporaryFolder()
    var connections = 0
    let first = try Listener(at: SocketPath(folder.file("s")), permissions: .init()) { _ in connections += 1 }
    #expect(throws: SocketError.inUse(folder.file("s"), by: SocketOwner(pid: getpid()))) {
      try listen(at: folder.file("s"))
    }
    #expect(connections == 0)
    first.close()
  }

  @Test @BridgeQueue func anotherSocketPutInItsPlaceIsNotRemoved() throws {
    let folder = TemporaryFolder()
    let first = try listen(at: folder.file("s"))
    unlink(folder.file("s"))
    let second = try listen(at: folder.file("s"))
    first.close()
    #expect(UnixSocket.isLive(second.path))
    second.close()
  }

  @Test func aPathTooLongForTheKernelIsRefusedInWords() throws {
    let long = "/tmp/" + String(repeating: "x", count: 103)
    #expect(throws: SocketError.invalidPath(long, limit: 107)) { try SocketPath(long) }
    #expect(SocketError.invalidPath(long, limit: 107).description.contains("108 bytes, at most 107"))
    _ = try SocketPath(String(long.dropLast()))
  }

  @Test @BridgeQueue func aGroupThatDoesNotExistIsAnError() throws {
    let folder = TemporaryFolder()
    #expect(throws: SocketError.noSuchGroup("no-such-group")) {
      try Listener(at: SocketPath(folder.file("s")), permissions: .init(mode: 0o660, group: "no-such-group")) { _ in }
    }
    #expect(folder.read("s") == nil)
  }

  @Test @BridgeQueue func aRushOfClientsIsNotTurnedAway() throws {
    let folder = TemporaryFolder()
    let path = try SocketPath(folder.file("s"))
    // Nobody accepts while this test has the queue; a peer that does not wait would be refused by a short backlog.
    let listener = try Listener(at: path, permissions: .init()) { _ in }
    var peers: [CInt] = []
    for _ in 0..<300 {
      let peer = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      peers.append(peer)
      #expect(path.withAddress { connect(peer, $0, $1) } == 0)
    }
    for peer in peers { close(peer) }
    listener.close()
  }
}
