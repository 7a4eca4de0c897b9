internal import CLinux
import Glibc

/// A folder whose files are appended to by one thread: callers never wait for the disk.
///
/// A file has no holes: once the disk refuses it, or what waits for the disk exceeds a bound, it ends there and takes no
/// more. Trouble is logged once, until a file can be written again.
public final class BackgroundFolder: Sendable {
  /// One file of the folder.
  public struct File: Hashable, Sendable {
    fileprivate let number: Int
  }

  private enum Work {
    case open(Int, name: String)
    case append(Int, [UInt8])
    case end(Int)
  }

  private struct State {
    var work: [Work] = []
    /// Bytes in `work`.
    var waiting = 0
    var files = 0
    /// Files that take no more.
    var ended: Set<Int> = []
    var closed: (@BridgeQueue @Sendable () -> Void)?
  }

  public let path: String
  private let limit: Int
  private let state = Lock(State())
  private let wakeUp: FileDescriptor

  /// Makes the folder, for its owner only, if there is none.
  ///
  /// - Parameter limit: bytes kept while the disk is slower than the callers.
  /// - Throws: when there is no such folder that files can be made in.
  public init(path: String, limit: Int = 16 << 20) throws(SystemError) {
    self.path = path
    self.limit = limit
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemError(call: "mkdir") }
    try check("open") { access(path, W_OK | X_OK) }
    var there = stat()
    guard stat(path, &there) == 0, there.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError(call: "open", errno: ENOTDIR)
    }
    wakeUp = FileDescriptor(owning: try check("eventfd") { eventfd(0, CInt(EFD_CLOEXEC)) })
    Thread.start(named: "recordings") { self.run() }
  }

  // MARK: From any thread

  /// A new file, readable by its owner only; that the name is taken counts as trouble of the disk.
  public func open(_ name: String) -> File {
    let number = state.withLock { state in
      state.files += 1
      state.work.append(.open(state.files, name: name))
      return state.files
    }
    eventfd_write(wakeUp.number, 1)
    return File(number: number)
  }

  /// - Returns: false when the file takes no more.
  @discardableResult
  public func append(_ bytes: [UInt8], to file: File) -> Bool {
    let (isTaken, wake, isLoss) = state.withLock { state -> (Bool, Bool, Bool) in
      guard state.closed == nil, !state.ended.contains(file.number) else { return (false, false, false) }
      guard state.waiting + bytes.count <= limit else {
        state.ended.insert(file.number)
        return (false, false, true)
      }
      let wake = state.work.isEmpty
      state.waiting += bytes.count
      Self.add(bytes, to: file.number, &state.work)
      return (true, wake, false)
    }
    if wake { eventfd_write(wakeUp.number, 1) }
    if isLoss { Log.error("record", "the disk of \(path) does not keep up, a recording ends before its session") }
    return isTaken
  }

  private static func add(_ bytes: [UInt8], to file: Int, _ work: inout [Work]) {
    if case .append(file, var before)? = work.last {
      // Taken out first, so that the array grows in place.
      work.removeLast()
      before += bytes
      work.append(.append(file, before))
    } else {
      work.append(.append(file, bytes))
    }
  }

  /// Writes what is there of the file and closes it.
  public func end(_ file: File) {
    state.withLock { state in
      state.work.append(.end(file.number))
      state.ended.remove(file.number)
    }
    eventfd_write(wakeUp.number, 1)
  }

  /// Writes what is there and ends; `completion` follows.
  public func close(completion: @escaping @BridgeQueue @Sendable () -> Void) {
    state.withLock { $0.closed = completion }
    eventfd_write(wakeUp.number, 1)
  }

  // MARK: The thread

  private func run() {
    var files: [Int: CInt] = [:]
    var failed = false
    while true {
      var count: eventfd_t = 0
      eventfd_read(wakeUp.number, &count)
      let (work, closed) = state.withLock { state in
        defer {
          state.work = []
          state.waiting = 0
        }
        return (state.work, state.closed)
      }
      for step in work { perform(step, &files, &failed) }
      if let closed {
        for file in files.values { Glibc.close(file) }
        return BridgeQueue.async(closed)
      }
    }
  }

  private func perform(_ step: Work, _ files: inout [Int: CInt], _ failed: inout Bool) {
    do throws(SystemError) {
      switch step {
      case .open(let number, let name): files[number] = try create(name)
      case .append(let number, let bytes):
        guard let file = files[number] else { return }
        try writeAll(bytes, to: file)
        if failed { Log.notice("record", "\(path) can be written again") }
        failed = false
      case .end(let number): if let file = files.removeValue(forKey: number) { Glibc.close(file) }
      }
    } catch {
      if !failed { Log.error("record", "\(path) cannot be written, recordings end before their sessions: \(error)") }
      failed = true
      give(up: step, &files)
    }
  }

  private func give(up step: Work, _ files: inout [Int: CInt]) {
    switch step {
    case .open(let number, _), .append(let number, _), .end(let number):
      if let file = files.removeValue(forKey: number) { Glibc.close(file) }
      state.withLock { _ = $0.ended.insert(number) }
    }
  }

  private func create(_ name: String) throws(SystemError) -> CInt {
    let path = "\(path)/\(name)"
    return try check("open") {
      Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }
}

/// Writes until all is written.
func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
    if count >= 0 {
      written += count
    } else if errno != EINTR {
      throw SystemError(call: "write")
    }
  }
}
