internal import CLinux
import Glibc

/// Hears signals on the bridge queue, through signalfd(2).
@BridgeQueue
public final class SignalWatch {
  private let descriptor: FileDescriptor
  private var watch: DescriptorWatch?

  /// Keeps signals from their usual effect, in this thread and those it starts: first thing in `main`.
  public nonisolated static func block(_ signals: [CInt]) {
    var set = set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// A peer that goes is told by `write`'s error, not by the end of the process.
  public nonisolated static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// - Parameter signals: blocked before, see `block`.
  public init(_ signals: [CInt], handler: @escaping @BridgeQueue (CInt) -> Void) throws(SystemError) {
    var set = Self.set(of: signals)
    descriptor = FileDescriptor(owning: try check("signalfd") { signalfd(-1, &set, CInt(SFD_NONBLOCK | SFD_CLOEXEC)) })
    let number = descriptor.number
    watch = DescriptorWatch(number, for: .reading) { _ in
      var info = signalfd_siginfo()
      while read(number, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
        handler(CInt(info.ssi_signo))
      }
    }
  }

  public func cancel() {
    watch?.cancel()
    watch = nil
  }

  private nonisolated static func set(of signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
