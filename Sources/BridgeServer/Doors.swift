import BridgeIO
import Glibc

/// The service's two sockets and the lock that makes them its own: the clients' is open while the radio is on, the
/// control socket always.
@BridgeQueue
final class Doors {
  typealias OnConnection = @BridgeQueue (consuming FileDescriptor, Session.Door) -> Void

  let path: SocketPath
  private let controlPath: SocketPath
  private let permissions: UnixSocket.Permissions
  private let inheritedClients: CInt?
  private let inheritedControl: CInt?
  private let onConnection: OnConnection
  private var lock: LockFile?
  private var control: Listener?
  private var clients: Listener?
  private var retry: QueueTimer?
  private static let retryDelay = Duration.seconds(5)

  init(_ configuration: ServerConfiguration, onConnection: @escaping OnConnection) throws(SocketError) {
    let clients = configuration.inherited.first { $0.name != Session.Door.control.rawValue }
    // Such a socket would be open to whoever reaches it, and could not be hidden while the radio is off.
    if let stranger = configuration.inherited.first(where: { $0.path == nil }) { throw .notUnix(stranger.name) }
    path = try SocketPath(clients?.path ?? configuration.socketPath)
    controlPath = try SocketPath(path.text + ".control")
    permissions = configuration.permissions
    inheritedClients = clients?.descriptor
    inheritedControl = configuration.inherited.first { $0.name == Session.Door.control.rawValue }?.descriptor
    self.onConnection = onConnection
  }

  /// Takes the paths, and opens the control socket.
  func open() throws(SocketError) {
    do throws(SocketError) { lock = try LockFile(locking: path.text + ".lock") } catch {
      // The lock is only the means: what is in use is the socket.
      if case .inUse(_, let owner) = error { throw .inUse(path.text, by: owner) }
      throw error
    }
    if inheritedClients == nil { try UnixSocket.removeStaleSocket(at: path) }
    control = try listen(.control, at: controlPath, inherited: inheritedControl)
  }

  func openClients() {
    guard lock != nil else { return }
    retry?.cancel()
    if inheritedClients != nil { renameInherited(from: path.text + ".off", to: path.text) }
    guard clients == nil else { return }
    do throws(SocketError) { clients = try listen(.clients, at: path, inherited: inheritedClients) } catch {
      Log.error("server", "clients cannot connect: \(error)")
      retry = QueueTimer(after: Self.retryDelay) { [weak self] in self?.openClients() }
    }
  }

  /// So that connecting fails: the only sign of a radio that is off that ImpossiBLE's clients know.
  func closeClients() {
    retry?.cancel()
    if inheritedClients == nil {
      clients?.close()
      clients = nil
    } else {
      // Not ours to close; who finds it all the same is closed at once.
      renameInherited(from: path.text, to: path.text + ".off")
    }
  }

  func close() {
    if inheritedClients != nil { openClients() }
    retry?.cancel()
    clients?.close()
    control?.close()
    clients = nil
    control = nil
    lock = nil
  }

  private func listen(
    _ door: Session.Door, at path: SocketPath, inherited: CInt?
  ) throws(SocketError) -> Listener {
    let onConnection = onConnection
    if let inherited {
      return Listener(inherited: FileDescriptor(owning: dup(inherited)), at: path) { onConnection($0, door) }
    }
    return try Listener(at: path, permissions: permissions) { onConnection($0, door) }
  }

  private func renameInherited(from old: String, to new: String) {
    guard access(old, F_OK) == 0, access(new, F_OK) != 0 else { return }
    if rename(old, new) != 0 { Log.error("server", "\(old): \(SystemError(call: "rename"))") }
  }
}
