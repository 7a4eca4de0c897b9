internal import CLinux
import Glibc
import Synchronization

/// The thread behind `BridgeQueue`: it waits for descriptors and timers with epoll(7) and runs actor jobs between.
///
/// Our own, and not a dispatch queue, because a dispatch source costs two thread switches per readable socket,
/// which is more than all the rest of the bridge's work on a message (figures in docs/benchmarks.md).
final class EventLoop: SerialExecutor, TaskExecutor {
  static let shared = EventLoop()

  private enum Work {
    case job(UnownedJob)
    case block(@BridgeQueue @Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var started = false
  }

  private let inbox = Lock(Inbox())
  private let wakeUp: CInt
  private let thread = Atomic<UInt>(0)

  private init() {
    wakeUp = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(wakeUp >= 0, "no descriptor left for the bridge queue")
  }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  func submit(_ body: @escaping @BridgeQueue @Sendable () -> Void) { add(.block(body)) }

  func checkIsolated() { precondition(isOnLoop, "not on the bridge queue") }

  func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  private var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  private func add(_ work: Work) {
    let (wasEmpty, mustStart) = inbox.withLock { inbox in
      defer { inbox.started = true }
      inbox.work.append(work)
      return (inbox.work.count == 1, !inbox.started)
    }
    if mustStart { start() }
    if wasEmpty && !isOnLoop { eventfd_write(wakeUp, 1) }
  }

  // MARK: Thread

  private func start() {
    var handle = pthread_t()
    let result = pthread_create(&handle, nil, { _ in EventLoop.shared.run() }, nil)
    precondition(result == 0, "the bridge queue's thread could not be started")
    pthread_detach(handle)
  }

  private func run() -> Never {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    pthread_setname_np(pthread_self(), "bridge queue")
    BridgeQueue.assumeIsolated { Reactor.shared.watchWakeUp(wakeUp) }
    while true {
      BridgeQueue.assumeIsolated { Reactor.shared.turn(unless: { inbox.withLock { !$0.work.isEmpty } }) }
      runInbox()
      BridgeQueue.assumeIsolated { Reactor.shared.finishTurn() }
    }
  }

  /// Runs what was there at the start; what that adds waits for the next turn, so descriptors get theirs.
  private func runInbox() {
    let work = inbox.withLock { inbox in
      defer { inbox.work = [] }
      return inbox.work
    }
    for item in work {
      switch item {
      // Without a task executor: tasks that prefer none would else be taken off the queue and put back at every
      // `await` of the queue's own functions, and what looks like one step would be two.
      case .job(let job):
        job.runSynchronously(on: asUnownedSerialExecutor())
      case .block(let body): BridgeQueue.assumeIsolated { body() }
      }
    }
  }
}
