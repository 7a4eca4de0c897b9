internal import CLinux
import Glibc

/// A program whose output lines are heard on the bridge queue, at the pace at which they are taken.
///
/// It has a process group of its own, nothing as its input, and none of our descriptors; its first lines on standard error
/// are logged.
@BridgeQueue
public final class ChildProcess {
  public enum End: Hashable, Sendable {
    case exited(CInt)
    case killed(signal: CInt)
    /// It was ended because it wrote a line that is too long.
    case lineTooLong(LineTooLong)

    public var isSuccess: Bool { self == .exited(0) }
  }

  /// A line, its end not included.
  public var onLine: (@BridgeQueue (UnsafeBufferPointer<UInt8>) -> Void)?
  /// Called once, after the last line; not after `terminate`.
  public var onEnd: (@BridgeQueue (End) -> Void)?

  public let pid: CInt
  private let name: String
  private let output: FileDescriptor
  private let errors: FileDescriptor
  private let process: FileDescriptor
  private var watches: [DescriptorWatch] = []
  private var outputWatch: DescriptorWatch?
  private var framer: LineFramer
  private var errorFramer = LineFramer(maximumLine: 1024)
  private var loggedErrors = 0
  private var isPaused = false
  private var isAtEndOfOutput = false
  private var exit: End?
  private var isEnded = false

  private static let loggedErrorLimit = 20
  private static let chunk = 64 << 10

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the program first, which is looked up in PATH if it has no slash.
  ///   - folder: where it runs; nil for where this process does.
  public init(_ arguments: [String], in folder: String? = nil, maximumLine: Int) throws(SystemError) {
    precondition(!arguments.isEmpty)
    let output = try Pipe()
    let errors = try Pipe()
    pid = try Self.spawn(arguments, in: folder, output: output.writeEnd, errors: errors.writeEnd)
    name = arguments[0]
    framer = LineFramer(maximumLine: maximumLine)
    let process = open_process_descriptor(pid)
    let problem = SystemError(call: "pidfd_open")
    if process < 0 {
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    self.output = output.takeReadEnd()
    self.errors = errors.takeReadEnd()
    self.process = FileDescriptor(owning: process)
    if process < 0 { throw problem }
    watch()
  }

  private func watch() {
    watchOutput()
    watches = [
      DescriptorWatch(errors.number, for: .reading) { [self] _ in readErrors() },
      DescriptorWatch(process.number, for: .reading) { [self] _ in reap() },
    ]
  }

  private func watchOutput() {
    outputWatch = DescriptorWatch(output.number, for: .reading) { [self] _ in readOutput() }
  }

  // MARK: Pace

  /// No line comes until `resumeReading`; a program that goes on writing has to wait.
  public func pauseReading() {
    isPaused = true
    // Not only its interest: a hang-up would come all the same, again and again.
    stopWatchingOutput()
  }

  public func resumeReading() {
    guard isPaused, !isEnded else { return }
    isPaused = false
    deliver()
    guard !isPaused else { return }
    if isAtEndOfOutput { finish() } else if outputWatch == nil { watchOutput() }
  }

  // MARK: Reading

  private func readOutput() {
    guard let bytes = Self.read(output.number) else { return }
    if bytes.isEmpty {
      isAtEndOfOutput = true
      stopWatchingOutput()
      return finish()
    }
    bytes.withUnsafeBytes { framer.append($0) }
    deliver()
  }

  private func stopWatchingOutput() {
    outputWatch?.cancel()
    outputWatch = nil
  }

  private func deliver() {
    do throws(LineTooLong) {
      while !isPaused, !isEnded, let range = try framer.next() {
        framer.withLine(range) { onLine?($0) }
      }
    } catch { end(.lineTooLong(error)) }
  }

  private func readErrors() {
    guard let bytes = Self.read(errors.number), !bytes.isEmpty else {
      watches.first?.cancel()
      return
    }
    guard loggedErrors < Self.loggedErrorLimit else { return }
    bytes.withUnsafeBytes { errorFramer.append($0) }
    do throws(LineTooLong) {
      while loggedErrors < Self.loggedErrorLimit, let range = try errorFramer.next() {
        loggedErrors += 1
        Log.notice("command", "\(name): \(errorFramer.withLine(range) { String(decoding: $0, as: UTF8.self) })")
      }
    } catch { loggedErrors = Self.loggedErrorLimit }
  }

  /// nil if there is nothing now, empty at the end.
  private static func read(_ descriptor: CInt) -> [UInt8]? {
    var again = false
    let bytes = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count in
      let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      again = result < 0 && (errno == EAGAIN || errno == EINTR)
      count = max(0, result)
    }
    return again ? nil : bytes
  }

  // MARK: The end

  private func reap() {
    var status: CInt = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return }
    watches.last?.cancel()
    exit = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
    // What it has started goes with it, and its output ends.
    kill(-pid, SIGKILL)
    finish()
  }

  private func finish() {
    guard let exit, isAtEndOfOutput, !isPaused else { return }
    end(exit)
  }

  private func end(_ end: End) {
    guard !isEnded else { return }
    let onEnd = onEnd
    terminate()
    onEnd?(end)
  }

  /// Kills it and what it has started; nothing more is heard of it.
  public func terminate() {
    guard !isEnded else { return }
    isEnded = true
    (onLine, onEnd) = (nil, nil)
    stopWatchingOutput()
    watches.first?.cancel()
    // Its end is still waited for, so that it does not stay as a zombie.
    if exit == nil { kill(-pid, SIGKILL) }
  }
}

// MARK: Starting

/// Two ends, ours not blocking.
private struct Pipe: ~Copyable {
  private let readEnd: FileDescriptor
  let writeEnd: FileDescriptor

  init() throws(SystemError) {
    let ends = try Self.make()
    readEnd = FileDescriptor(owning: ends[0])
    writeEnd = FileDescriptor(owning: ends[1])
  }

  private static func make() throws(SystemError) -> [CInt] {
    var ends: [CInt] = [-1, -1]
    try check("pipe2") { pipe2(&ends, O_CLOEXEC) }
    // Cannot fail with a descriptor that is open.
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return ends
  }

  consuming func takeReadEnd() -> FileDescriptor { readEnd }
}

extension ChildProcess {
  private static func spawn(
    _ arguments: [String], in folder: String?, output: borrowing FileDescriptor, errors: borrowing FileDescriptor
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.number, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.number, 2)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this process blocks and ignores is no business of the program's.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let result = posix_spawnp(&process, words[0]!, &actions, &attributes, &words, environ)
    guard result == 0 else { throw SystemError(call: arguments[0], errno: result) }
    return process
  }
}
