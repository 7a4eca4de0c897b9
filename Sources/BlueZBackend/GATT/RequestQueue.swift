/// The order in which one device's GATT requests reach bluetoothd; a value that decides and does nothing itself.
///
/// First in, first out. One request at a time: what follows waits for its reply, which keeps the peer's view of the
/// order, and keeps bluetoothd from answering `InProgress`. Commands do not wait for each other; a request may follow
/// commands that are unreplied, because bluetoothd takes them in order, but never the other way round: bluetoothd
/// prefers commands to a request that is not yet on the air.
struct RequestQueue<Request> {
  struct Limits {
    /// Commands given to bluetoothd that it has not yet replied to.
    var commandsInFlight = 16
    /// From so many commands in flight or waiting on, `isFull`; until no more than `commandsToResume` are left.
    var commandsUntilFull = 16
    var commandsToResume = 8
    /// What all waiting requests together may hold.
    var waitingBytes = 8 << 20
  }

  private struct Waiting {
    var request: Request
    var isCommand: Bool
    var bytes: Int
  }

  private let limits: Limits
  private var waiting: [Waiting] = []
  /// Index of the first one still waiting in `waiting`.
  private var first = 0
  private var waitingBytes = 0
  private var waitingCommands = 0
  private var isRequestOut = false
  private var commandsOut = 0

  /// Whether a sender of commands should pause.
  private(set) var isFull = false

  init(limits: Limits = Limits()) { self.limits = limits }

  /// What a request weighs beside its value.
  private static var overhead: Int { 256 }

  /// Takes a request, or refuses it because too much is waiting.
  mutating func append(_ request: Request, isCommand: Bool, valueBytes: Int) -> Bool {
    let bytes = valueBytes + Self.overhead
    guard waitingBytes + bytes <= limits.waitingBytes else { return false }
    waiting.append(Waiting(request: request, isCommand: isCommand, bytes: bytes))
    waitingBytes += bytes
    if isCommand {
      waitingCommands += 1
      if waitingCommands + commandsOut >= limits.commandsUntilFull { isFull = true }
    }
    return true
  }

  /// The next request that may be sent now, counted as sent.
  mutating func next() -> Request? {
    guard !isRequestOut, first < waiting.count else { return nil }
    let head = waiting[first]
    if head.isCommand {
      guard commandsOut < limits.commandsInFlight else { return nil }
      waitingCommands -= 1
      commandsOut += 1
    } else {
      isRequestOut = true
    }
    waitingBytes -= head.bytes
    first += 1
    compact()
    return head.request
  }

  /// Whether a command is the next to be sent, and may be now.
  var isCommandNext: Bool {
    !isRequestOut && first < waiting.count && waiting[first].isCommand && commandsOut < limits.commandsInFlight
  }

  mutating func requestFinished() { isRequestOut = false }

  /// - Returns: whether a sender that was told to pause may go on.
  mutating func commandFinished() -> Bool {
    commandsOut -= 1
    guard isFull, waitingCommands + commandsOut <= limits.commandsToResume else { return false }
    isFull = false
    return true
  }

  /// Takes out all that waits, in its order.
  mutating func removeAll() -> [Request] {
    let requests = waiting[first...].map(\.request)
    waiting = []
    first = 0
    waitingBytes = 0
    waitingCommands = 0
    return requests
  }

  /// Sent requests keep nothing alive here: the array is emptied as soon as all of it is sent, and cut when half is.
  private mutating func compact() {
    if first == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.count <= 64)
      first = 0
    } else if first >= 64, first * 2 >= waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
  }
}
