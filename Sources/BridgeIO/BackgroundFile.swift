internal import CLinux
import Glibc

/// A file that is appended to by a thread of its own: callers never wait for the disk.
///
/// What the disk does not take in time is kept up to a bound, then dropped; trouble is logged once, until writing works again.
public final class BackgroundFile: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var mustReopen = false
    var isFull = false
    var lost = 0
    var closed: (@BridgeQueue @Sendable () -> Void)?
    var isClosed: Bool { closed != nil }
  }

  public let path: String
  private let limit: Int
  private let state = Lock(State())
  private let wakeUp: FileDescriptor

  /// - Parameter limit: bytes kept while the disk is slower than the callers.
  /// - Throws: when the file cannot be opened for appending.
  public init(path: String, limit: Int = 4 << 20) throws(SystemError) {
    self.path = path
    self.limit = limit
    wakeUp = FileDescriptor(owning: try check("eventfd") { eventfd(0, CInt(EFD_CLOEXEC)) })
    let file = try Self.open(path)
    let number = file.take()
    Thread.start(named: "activity log") { self.run(FileDescriptor(owning: number)) }
  }

  /// From any thread: a whole line with its end.
  public func append(_ line: [UInt8]) {
    let (wake, firstLoss) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      guard state.bytes.count + line.count <= limit else {
        defer { state.isFull = true }
        state.lost += 1
        return (false, !state.isFull)
      }
      state.bytes += line
      return (state.bytes.count == line.count, false)
    }
    if wake { eventfd_write(wakeUp.number, 1) }
    if firstLoss { Log.error("activity", "\(path) does not keep up, records are lost") }
  }

  /// Opens the path anew, after a rotation.
  public func reopen() {
    state.withLock { $0.mustReopen = true }
    eventfd_write(wakeUp.number, 1)
  }

  /// Writes what is there and ends; `completion` follows.
  public func close(completion: @escaping @BridgeQueue @Sendable () -> Void) {
    state.withLock { $0.closed = completion }
    eventfd_write(wakeUp.number, 1)
  }

  // MARK: The thread

  private func run(_ first: consuming FileDescriptor) {
    var file: FileDescriptor? = consume first
    var failed = false
    while true {
      var count: eventfd_t = 0
      eventfd_read(wakeUp.number, &count)
      let work = state.withLock { state in
        defer {
          state.bytes = []
          state.mustReopen = false
          state.isFull = false
          state.lost = 0
        }
        return state
      }
      do throws(SystemError) {
        if work.mustReopen || file == nil {
          file = nil
          file = try Self.open(path)
        }
        if let number = file?.number { try writeAll(work.bytes, to: number) }
        if !work.bytes.isEmpty, failed || work.lost > 0 {
          Log.notice("activity", "\(path) is written again, \(work.lost) records are missing")
        }
        if !work.bytes.isEmpty { failed = false }
      } catch {
        if !failed { Log.error("activity", "\(path) cannot be written, records are lost: \(error)") }
        failed = true
      }
      if let closed = work.closed { return BridgeQueue.async(closed) }
    }
  }

  private static func open(_ path: String) throws(SystemError) -> FileDescriptor {
    FileDescriptor(
      owning: try check("open") { Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o640) })
  }
}
