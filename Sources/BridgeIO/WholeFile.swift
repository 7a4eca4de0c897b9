import Glibc

/// Files read and written as a whole. These calls block: not on the bridge queue, but at start.
public enum WholeFile {
  /// The content; nil if there is no such file.
  ///
  /// - Throws: also when it is longer than `limit` bytes (`EFBIG`).
  public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(call: "open")
    }
    let descriptor = FileDescriptor(owning: number)
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor.number, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(call: "read") }
      if count == 0 { return content }
      content += chunk[..<count]
      if content.count > limit { throw SystemError(call: "read", errno: EFBIG) }
    }
  }

  /// Replaces the file as a whole: a reader sees the old content or the new. The folder is made if need be.
  public static func replace(_ path: String, with content: some Collection<UInt8>) throws(SystemError) {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    if !folder.isEmpty { try makeFolder(folder) }
    // Of its own name, should another process write the same file now.
    let temporary = "\(path).\(getpid()).new"
    let descriptor = FileDescriptor(
      owning: try check("open") { open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) })
    var rest = Array(content)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw SystemError(call: "write") }
      rest = rest.dropFirst(count)
    }
    try check("fsync") { fsync(descriptor.number) }
    try check("rename") { rename(temporary, path) }
  }

  /// Makes a folder, and those it is in, for this user only; what is there stays as it is.
  public static func makeFolder(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw SystemError(call: "mkdir")
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(call: "mkdir") }
  }
}
