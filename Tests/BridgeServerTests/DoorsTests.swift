import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import TestSupport
import Testing

/// Who owns the paths.
@Suite @BridgeQueue struct DoorsTests {
  private func server(at path: String, state: AdapterState = .poweredOn) -> (Server, ScriptedRadio) {
    let radio = ScriptedRadio(state: state)
    return (Server(configuration: ServerConfiguration(socketPath: path, serverVersion: "1"), radio: radio), radio)
  }

  @Test(arguments: [AdapterState.poweredOn, .poweredOff])
  func aSecondServiceIsToldWhoServesAndDisturbsNobody(_ state: AdapterState) async throws {
    let service = try ServiceFixture(state: state)
    let client = try service.controlClient()
    let (second, radio) = server(at: service.path)
    #expect(throws: ServerError.socket(.inUse(service.path, by: SocketOwner(pid: getpid())))) { try second.start() }
    #expect(radio.commands.isEmpty)
    client.hello(features: .control)
    #expect(try await client.messagesUntilStatus().count == 1)
    await service.stop()
  }

  @Test func aForeignFileStopsTheStartEvenWithoutARadio() throws {
    let folder = TemporaryFolder()
    folder.write("mine", to: "s")
    let (server, _) = server(at: folder.file("s"), state: .poweredOff)
    #expect(throws: ServerError.socket(.notASocket(folder.file("s")))) { try server.start() }
    #expect(folder.read("s") == "mine")
  }

  @Test func whatACrashLeftIsReplaced() async throws {
    let folder = TemporaryFolder()
    for name in ["s", "s.control"] {
      _ = try UnixSocket.listen(at: SocketPath(folder.file(name)), permissions: .init())
    }
    folder.write("1\n", to: "s.lock")
    let (server, _) = server(at: folder.file("s"))
    try server.start()
    let client = try LineClient(path: folder.file("s"))
    client.hello(features: .control)
    #expect(try await client.messagesUntilStatus().count == 1)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  @Test func aPathTooLongForItsControlSocketIsRefused() {
    let path = "/tmp/" + String(repeating: "x", count: 100)
    let (server, _) = server(at: path)
    #expect(throws: ServerError.socket(.invalidPath(path + ".control", limit: 107))) { try server.start() }
  }

  @Test func anActivityLogThatCannotBeWrittenStopsTheStart() throws {
    let folder = TemporaryFolder()
    let configuration = ServerConfiguration(
      socketPath: folder.file("s"), activityLogPath: folder.file("no/such"), serverVersion: "1")
    let server = Server(configuration: configuration, radio: ScriptedRadio())
    #expect(throws: ServerError.self) { try server.start() }
    #expect(access(folder.file("s.control"), F_OK) != 0)
  }

  @Test func aSocketOfSystemdsIsServedAndHiddenWhileTheRadioIsOff() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let descriptor = try UnixSocket.listen(at: SocketPath(path), permissions: .init()).take()
    let radio = ScriptedRadio()
    let configuration = ServerConfiguration(
      inherited: [InheritedSocket(name: "bridge.socket", descriptor: descriptor, path: path)], serverVersion: "1")
    let server = Server(configuration: configuration, radio: radio)
    try server.start()
    #expect(server.socketPath == path)
    let client = try LineClient(path: path)
    client.hello(features: .control)
    #expect(try await client.messagesUntilStatus().count == 1)
    radio.setState(.poweredOff)
    #expect(throws: SocketError.self) { try LineClient(path: path) }
    radio.setState(.poweredOn)
    let second = try LineClient(path: path)
    second.hello(features: .control)
    #expect(try await second.messagesUntilStatus().count == 1)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
    // Systemd's for the next run.
    #expect(UnixSocket.isLive(try SocketPath(path)))
    close(descriptor)
  }

  @Test func aSocketOfSystemdsThatIsOpenToTheNetworkIsRefused() {
    let configuration = ServerConfiguration(
      inherited: [InheritedSocket(name: "bridge.socket", descriptor: -1, path: nil)], serverVersion: "1")
    let server = Server(configuration: configuration, radio: ScriptedRadio())
    #expect(throws: ServerError.socket(.notUnix("bridge.socket"))) { try server.start() }
  }
}
