internal import CLinux
import Glibc

/// The loop's own state: which descriptors and timers it waits for.
@BridgeQueue
final class Reactor {
  static let shared = Reactor()

  private let epoll: CInt
  private var watches: [UInt64: DescriptorWatch] = [:]
  private var nextToken: UInt64 = 1
  private var timers = TimerHeap()
  private var ready = [epoll_event](repeating: epoll_event(), count: 64)
  private static let wakeUpToken: UInt64 = 0
  private var wakeUp: CInt = -1
  var endOfTurn: [@BridgeQueue () -> Void] = []

  private init() {
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    precondition(epoll >= 0, "no descriptor left for the bridge queue")
  }

  func watchWakeUp(_ descriptor: CInt) {
    wakeUp = descriptor
    control(EPOLL_CTL_ADD, descriptor, Self.wakeUpToken, EPOLLIN.rawValue)
  }

  // MARK: Descriptors

  func add(_ watch: DescriptorWatch) -> UInt64 {
    defer { nextToken += 1 }
    watches[nextToken] = watch
    control(EPOLL_CTL_ADD, watch.descriptor, nextToken, watch.interest.events)
    return nextToken
  }

  func update(_ watch: DescriptorWatch) {
    control(EPOLL_CTL_MOD, watch.descriptor, watch.token, watch.interest.events)
  }

  func remove(_ watch: DescriptorWatch) {
    guard watches.removeValue(forKey: watch.token) != nil else { return }
    control(EPOLL_CTL_DEL, watch.descriptor, watch.token, 0)
  }

  private func control(_ operation: CInt, _ descriptor: CInt, _ token: UInt64, _ events: UInt32) {
    var event = epoll_event(events: events, data: epoll_data_t(u64: token))
    let result = epoll_ctl(epoll, operation, descriptor, &event)
    precondition(result == 0 || operation == EPOLL_CTL_DEL, "epoll_ctl: \(SystemError(call: "epoll_ctl"))")
  }

  // MARK: Timers

  func add(_ timer: QueueTimer) { timers.insert(timer) }

  /// A timer that a firing one adds waits for the next turn, even at zero delay, so descriptors get theirs.
  private func fireTimers() {
    guard !timers.isEmpty else { return }
    let now = ContinuousClock.Instant.now
    while let timer = timers.popDue(at: now) { timer.fire() }
  }

  // MARK: Turns

  /// - Parameter hasWork: asked right before waiting. What runs on the queue itself adds work without a wake-up, and
  ///   dropping a cancelled timer may do so: it may let go of the last user of something with an isolated `deinit`.
  func turn(unless hasWork: () -> Bool) {
    let timeout = timers.millisecondsUntilNext()
    let count = epoll_wait(epoll, &ready, CInt(ready.count), hasWork() ? 0 : timeout)
    if count > 0 {
      for index in 0..<Int(count) { handle(ready[index]) }
    }
    fireTimers()
  }

  private func handle(_ event: epoll_event) {
    let token = event.data.u64
    if token == Self.wakeUpToken {
      var value: eventfd_t = 0
      eventfd_read(wakeUp, &value)
    } else {
      // Gone if a handler before it in this turn cancelled it.
      watches[token]?.handler?(Readiness(events: event.events))
    }
  }

  func finishTurn() {
    while !endOfTurn.isEmpty {
      let hooks = endOfTurn
      endOfTurn.removeAll(keepingCapacity: true)
      for hook in hooks { hook() }
    }
  }
}
