internal import CLinux
import Glibc

/// Holds a lock, with flock(2), on a file that says which process holds it; released, and the file removed, with the value
/// or with the process.
public struct LockFile: ~Copyable {
  public let path: String
  private let descriptor: FileDescriptor

  /// - Throws: `.inUse` naming the holder when another process has the lock.
  public init(locking path: String) throws(SocketError) {
    while true {
      let descriptor = try Self.open(path)
      if flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK else { throw .system(path, SystemError(call: "flock")) }
        throw .inUse(path, by: Self.holder(of: path))
      }
      // The holder before may have removed the file between our open and our lock.
      guard Self.isStillAt(path, descriptor) else { continue }
      Self.write("\(getpid())\n", to: descriptor)
      self.path = path
      self.descriptor = descriptor
      return
    }
  }

  deinit { unlink(path) }

  /// Who holds the lock, by the file's own word.
  public static func holder(of path: String) -> SocketOwner {
    let text = smallFile(path)?.prefix { $0.isNumber } ?? ""
    return SocketOwner(pid: Int32(text) ?? 0)
  }

  private static func open(_ path: String) throws(SocketError) -> FileDescriptor {
    do {
      // Not O_TRUNC: the file names its holder until the lock is ours. Not through a link: others may write beside it.
      let number = try check("open") { Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644) }
      return FileDescriptor(owning: number)
    } catch { throw .system(path, error) }
  }

  private static func isStillAt(_ path: String, _ descriptor: borrowing FileDescriptor) -> Bool {
    var ours = stat()
    var there = stat()
    return fstat(descriptor.number, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino
      && ours.st_dev == there.st_dev
  }

  private static func write(_ text: String, to descriptor: borrowing FileDescriptor) {
    ftruncate(descriptor.number, 0)
    _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor.number, $0.baseAddress, $0.count, 0) }
  }
}
