import Glibc

/// A listening socket that systemd has opened for us (sd_listen_fds(3)).
public struct InheritedSocket: Hashable, Sendable {
  /// `FileDescriptorName=` of the socket unit, `unknown` if it has none.
  public var name: String
  public var descriptor: CInt
  /// Where it is bound; nil when it is no Unix socket.
  public var path: String?

  public init(name: String, descriptor: CInt, path: String?) {
    self.name = name
    self.descriptor = descriptor
    self.path = path
  }

  /// Takes what the environment passes to this process: once, the variables are gone afterwards.
  public static func takeAll() -> [InheritedSocket] {
    defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
    guard variable("LISTEN_PID").flatMap({ pid_t($0) }) == getpid(),
      let count = variable("LISTEN_FDS").flatMap({ Int($0) }), (1...64).contains(count)
    else { return [] }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    return (0..<count).map { index in
      let descriptor = CInt(3 + index)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      let name = index < names.count && !names[index].isEmpty ? String(names[index]) : "unknown"
      return InheritedSocket(name: name, descriptor: descriptor, path: boundPath(of: descriptor))
    }
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func boundPath(of descriptor: CInt) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return path.isEmpty ? nil : path
  }
}
