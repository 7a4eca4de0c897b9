import CLinux
import Glibc

/// A listening socket on the bridge queue: hands out each connection, and removes its file when it closes.
@BridgeQueue
public final class Listener {
  public let path: SocketPath
  private let descriptor: FileDescriptor
  private var watch: DescriptorWatch?
  private let onConnection: @BridgeQueue (consuming FileDescriptor) -> Void
  /// The file as we bound it: another's at the same path is not removed.
  private let file: FileIdentity?
  private let isInherited: Bool
  private var isStarved = false

  private static let connectionsPerTurn = 64
  private static let pauseWhenStarved = Duration.milliseconds(200)

  public init(
    at path: SocketPath, permissions: UnixSocket.Permissions,
    onConnection: @escaping @BridgeQueue (consuming FileDescriptor) -> Void
  ) throws(SocketError) {
    self.path = path
    self.onConnection = onConnection
    descriptor = try UnixSocket.listen(at: path, permissions: permissions)
    file = FileIdentity(path.text)
    isInherited = false
    start()
  }

  /// Serves a socket that systemd has bound and keeps: its file stays when this closes.
  public init(
    inherited descriptor: consuming FileDescriptor, at path: SocketPath,
    onConnection: @escaping @BridgeQueue (consuming FileDescriptor) -> Void
  ) {
    self.path = path
    self.onConnection = onConnection
    self.descriptor = descriptor
    file = nil
    isInherited = true
    start()
  }

  /// Refuses newcomers from now on. Connections made stay.
  public func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    // Systemd's socket stays what it is: it will be passed to the service's next run.
    if isInherited { return }
    if FileIdentity(path.text) == file { unlink(path.text) }
    // Closing is up to the descriptor's owner, this object; waiting peers must not hang until it goes.
    shutdown(descriptor.number, CInt(SHUT_RDWR))
  }

  private func start() {
    watch = DescriptorWatch(descriptor.number, for: .reading) { _ in self.accept() }
  }

  private func accept() {
    for _ in 0..<Self.connectionsPerTurn where watch != nil {
      do {
        guard let connection = try UnixSocket.accept(on: descriptor) else { return }
        isStarved = false
        onConnection(connection)
      } catch { return starve(error) }
    }
  }

  /// Out of descriptors or memory: waits a little instead of being called for the same connection at once.
  private func starve(_ error: SystemError) {
    if !isStarved { Log.error("socket", "no connection can be accepted at \(path): \(error)") }
    isStarved = true
    watch?.interest = []
    QueueTimer(after: Self.pauseWhenStarved) { [weak self] in self?.watch?.interest = .reading }
  }
}

/// Which file a path leads to, links not followed.
struct FileIdentity: Hashable {
  let device: dev_t
  let inode: ino_t

  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}
