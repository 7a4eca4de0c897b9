internal import CLinux
import Glibc

/// System calls on Unix stream sockets. All descriptors are non-blocking and closed on exec.
public enum UnixSocket {
  /// Who may connect.
  public struct Permissions: Hashable, Sendable {
    public var mode: UInt32
    /// A group's name, for the file; nil leaves it to the system.
    public var group: String?
    public init(mode: UInt32 = 0o600, group: String? = nil) {
      self.mode = mode
      self.group = group
    }
  }

  /// Binds and listens. A stale socket at the path is replaced; anything else there is an error.
  public static func listen(
    at path: SocketPath, permissions: Permissions, backlog: CInt = 4096
  ) throws(SocketError) -> FileDescriptor {
    let group = try permissions.group.map { name throws(SocketError) in try groupID(of: name) }
    try removeStaleSocket(at: path)
    do {
      let descriptor = try make()
      let number = descriptor.number
      // Before bind, so that at no moment more may connect than shall; after it, so that the umask does not count.
      try check("fchmod") { fchmod(number, permissions.mode) }
      try check("bind") { path.withAddress { bind(number, $0, $1) } }
      if let group { try check("chown") { chown(path.text, uid_t.max, group) } }
      try check("chmod") { chmod(path.text, permissions.mode) }
      try check("listen") { Glibc.listen(number, backlog) }
      return descriptor
    } catch {
      if error.call != "bind" { unlink(path.text) }
      throw .system(path.text, error)
    }
  }

  private static func groupID(of name: String) throws(SocketError) -> gid_t {
    guard let entry = getgrnam(name) else { throw .noSuchGroup(name) }
    return entry.pointee.gr_gid
  }

  /// nil when nobody is waiting.
  public static func accept(on listener: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor? {
    let listener = listener.number
    do {
      let number = try check("accept4") {
        accept4(listener, nil, nil, CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
      }
      return FileDescriptor(owning: number)
    } catch {
      // ECONNABORTED: the peer has gone before it was accepted.
      if error.errno == EAGAIN || error.errno == ECONNABORTED { return nil }
      throw error
    }
  }

  /// Connects; blocks while the listener's backlog is full, so not for the bridge queue.
  public static func connect(to path: SocketPath) throws(SocketError) -> FileDescriptor {
    do {
      let descriptor = try make(nonBlocking: false)
      let number = descriptor.number
      try check("connect") { path.withAddress { Glibc.connect(number, $0, $1) } }
      try descriptor.setNonBlocking()
      return descriptor
    } catch { throw .system(path.text, error) }
  }

  /// Connects without waiting: a listener whose backlog is full is an error.
  public static func connectAtOnce(to path: SocketPath) throws(SocketError) -> FileDescriptor {
    do {
      let descriptor = try make()
      let number = descriptor.number
      try check("connect") { path.withAddress { Glibc.connect(number, $0, $1) } }
      return descriptor
    } catch { throw .system(path.text, error) }
  }

  /// Two connected ends.
  public static func pair() throws(SystemError) -> SocketPair {
    var numbers: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try check("socketpair") { socketpair(AF_UNIX, type, 0, &numbers) }
    return SocketPair(first: FileDescriptor(owning: numbers[0]), second: FileDescriptor(owning: numbers[1]))
  }

  /// Whether a process has this socket open. Asked without connecting: a connection would count as a client. A datagram
  /// socket cannot connect to a stream socket, and the kernel says so only if there is one behind the file.
  public static func isLive(_ path: SocketPath) -> Bool {
    let number = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return true }
    let probe = FileDescriptor(owning: number)
    let result = path.withAddress { Glibc.connect(probe.number, $0, $1) }
    return result == 0 || errno != ECONNREFUSED
  }

  /// Makes sure that a socket can be bound at the path: removes one that nobody has open.
  public static func removeStaleSocket(at path: SocketPath) throws(SocketError) {
    var there = stat()
    guard lstat(path.text, &there) == 0 else { return }
    guard there.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path.text) }
    guard !isLive(path) else { throw .inUse(path.text, by: SocketOwner.listening(at: path)) }
    unlink(path.text)
  }

  private static func make(nonBlocking: Bool = true) throws(SystemError) -> FileDescriptor {
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
    return FileDescriptor(owning: try check("socket") { socket(AF_UNIX, CInt(flags), 0) })
  }
}

public struct SocketPair: ~Copyable {
  public var first: FileDescriptor
  public var second: FileDescriptor

  /// Gives both numbers away; the caller closes them.
  public consuming func take() -> (first: CInt, second: CInt) { (first.take(), second.take()) }
}
