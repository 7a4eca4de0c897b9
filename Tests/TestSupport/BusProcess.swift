import BridgeIO
import CLinux
import Glibc

/// One `dbus-daemon` under a shell that ends it when our end of the shell's input closes.
@BridgeQueue
final class BusProcess {
  private let pid: pid_t
  private var input: FileDescriptor?
  private let output: FileDescriptor
  private var watch: DescriptorWatch?
  private var isDead = false
  private var isListening = false
  private var waiters: [(condition: @BridgeQueue () -> Bool, resume: @BridgeQueue () -> Void)] = []

  struct DidNotStart: Error {}

  /// - Parameter folder: Where the configuration is and the socket will be; removed with the daemon.
  init(folder: String) throws {
    var inputEnds: [CInt] = [-1, -1]
    var outputEnds: [CInt] = [-1, -1]
    try check("pipe") { pipe(&inputEnds) }
    let childInput = FileDescriptor(owning: inputEnds[0])
    input = FileDescriptor(owning: inputEnds[1])
    try check("pipe") { pipe(&outputEnds) }
    output = FileDescriptor(owning: outputEnds[0])
    let childOutput = FileDescriptor(owning: outputEnds[1])
    for end in inputEnds + outputEnds { try check("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) } }
    pid = try Self.spawn(folder, input: childInput.number, output: childOutput.number)
    try output.setNonBlocking()
    // Holds the process, and so the daemon, until its end.
    watch = DescriptorWatch(output.number, for: .reading) { _ in self.readOutput() }
  }

  private static func spawn(_ folder: String, input: CInt, output: CInt) throws -> pid_t {
    let script = """
      dbus-daemon --config-file="$1/bus.conf" --nofork --nopidfile --nosyslog --print-address=1 2>"$1/log" & daemon=$!
      read ignored
      kill -KILL $daemon
      wait $daemon 2>/dev/null
      rm -rf "$1"
      """
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // Else this daemon would hold other tests' sockets open.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    // A shell that inherits SIGCHLD blocked or ignored waits for ever.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let words = ["sh", "-c", script, "sh", folder]
    var arguments = words.map { word in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard result == 0 else { throw SystemError(call: "posix_spawn", errno: result) }
    return pid
  }

  /// Returns once the daemon has said where it listens.
  func listening() async throws {
    var isLate = false
    let timer = QueueTimer(after: .seconds(20)) {
      isLate = true
      self.wakeWaiters()
    }
    defer { timer.cancel() }
    await wait { self.isListening || self.isDead || isLate }
    if !isListening { throw DidNotStart() }
  }

  /// Returns once the daemon is dead.
  func end() async {
    input = nil
    await wait { self.isDead }
  }

  /// The condition is looked at where the waiter is added: any `await` before may let other work in between.
  private func wait(until condition: @escaping @BridgeQueue () -> Bool) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      if condition() { return continuation.resume() }
      waiters.append((condition, { continuation.resume() }))
    }
  }

  /// The address line means that it listens; the end of the pipe that shell and daemon are gone.
  private func readOutput() {
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = read(output.number, &buffer, buffer.count)
    if count > 0 {
      isListening = isListening || buffer[..<count].contains(UInt8(ascii: "\n"))
    } else if count == 0 {
      watch?.cancel()
      watch = nil
      isDead = true
      waitpid(pid, nil, 0)
    }
    wakeWaiters()
  }

  private func wakeWaiters() {
    let woken = waiters.filter { $0.condition() }
    waiters.removeAll { $0.condition() }
    for waiter in woken { waiter.resume() }
  }
}
