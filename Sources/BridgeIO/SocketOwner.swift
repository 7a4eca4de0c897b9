internal import CLinux
import Glibc

/// Who has a socket or a lock, as far as this host tells.
public struct SocketOwner: Hashable, Sendable, CustomStringConvertible {
  /// 0 if not known.
  public var pid: Int32
  /// Empty if not known.
  public var processName: String

  public init(pid: Int32) {
    self.pid = pid
    processName = pid > 0 ? Self.processName(of: pid) ?? "" : ""
  }

  public var description: String {
    if pid <= 0 { return "another process" }
    return processName.isEmpty ? "process \(pid)" : "process \(pid) (\(processName))"
  }

  /// The other end of a connected Unix socket, who connected or was accepted.
  public init(peerOf descriptor: borrowing FileDescriptor) {
    var credentials = peer_credentials()
    var size = socklen_t(MemoryLayout<peer_credentials>.size)
    let result = getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    self.init(pid: result == 0 ? credentials.pid : 0)
  }

  /// The first 15 bytes of the name of the program a process runs, proc(5).
  public static func processName(of pid: Int32) -> String? {
    guard var text = smallFile("/proc/\(pid)/comm") else { return nil }
    if text.last == "\n" { text.removeLast() }
    return text
  }

  /// Who listens at a path: found in /proc, so nothing if it is another user's process.
  static func listening(at path: SocketPath) -> SocketOwner {
    guard let inode = inodeOfSocket(boundTo: path) else { return SocketOwner(pid: 0) }
    let link = "socket:[\(inode)]"
    for pid in entries(of: "/proc").compactMap({ Int32($0) }) {
      let folder = "/proc/\(pid)/fd"
      if entries(of: folder).contains(where: { target(ofLink: "\(folder)/\($0)") == link }) {
        return SocketOwner(pid: pid)
      }
    }
    return SocketOwner(pid: 0)
  }

  /// A line of /proc/net/unix: number, reference count, protocol, flags, type, state, inode, path.
  private static func inodeOfSocket(boundTo path: SocketPath) -> String? {
    guard let table = smallFile("/proc/net/unix", limit: 4 << 20) else { return nil }
    let line = table.split(separator: "\n").first { $0.hasSuffix(" " + path.text) }
    let fields = line?.split(separator: " ", maxSplits: 7) ?? []
    return fields.count == 8 ? String(fields[6]) : nil
  }

  private static func target(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}

/// The beginning of a small file, as text.
func smallFile(_ path: String, limit: Int = 4096) -> String? {
  let number = open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { return nil }
  let file = FileDescriptor(owning: number)
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: min(limit, 64 << 10))
  while bytes.count < limit {
    let count = read(file.number, &chunk, chunk.count)
    if count <= 0 { break }
    bytes += chunk.prefix(count)
  }
  return String(decoding: bytes, as: UTF8.self)
}
