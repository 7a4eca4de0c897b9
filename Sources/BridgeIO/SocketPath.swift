import Glibc

/// A Unix socket's path, short enough for the kernel (unix(7): 107 bytes).
public struct SocketPath: Hashable, Sendable, CustomStringConvertible {
  public let text: String
  public static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  public init(_ text: String) throws(SocketError) {
    guard !text.isEmpty, text.utf8.count <= Self.maximumLength, !text.utf8.contains(0) else {
      throw .invalidPath(text, limit: Self.maximumLength)
    }
    self.text = text
  }

  public var description: String { text }

  func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// Why a socket cannot be used.
public enum SocketError: Error, Hashable, CustomStringConvertible {
  /// Empty, with a zero byte, or longer than `limit` bytes.
  case invalidPath(String, limit: Int)
  /// Something else than a socket is there; it is left alone.
  case notASocket(String)
  /// Another process serves there; it is left alone.
  case inUse(String, by: SocketOwner)
  case noSuchGroup(String)
  /// Passed by systemd under this name, and no Unix socket with a path.
  case notUnix(String)
  case system(String, SystemError)

  public var description: String {
    switch self {
    case .invalidPath("", _): "a socket needs a path"
    case .invalidPath(let path, let limit):
      "\(path) cannot be a socket's path: \(path.utf8.count) bytes, at most \(limit) are possible"
    case .notASocket(let path): "\(path) exists and is not a socket; it is left alone, choose another --socket"
    case .inUse(let path, let owner): "\(path) is served by \(owner)"
    case .notUnix(let name): "the socket \(name) that systemd passes is no Unix socket with a path"
    case .noSuchGroup(let name): "there is no group \(name)"
    case .system(let path, let error): "\(path): \(error)"
    }
  }
}
