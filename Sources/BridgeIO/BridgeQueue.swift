/// The bridge queue: the one serial executor on which server, sessions, radios and the D-Bus connection live,
/// so that a call between them is a plain call. Nothing on it may block.
///
/// Inputs (socket lines, D-Bus messages, timers) reach their state by plain calls on it, in the order of arrival.
@globalActor
public actor BridgeQueue {
  public static let shared = BridgeQueue()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }

  /// Enters the queue from a C callback that already runs on it; traps anywhere else.
  public nonisolated static func assumeIsolated<Result: Sendable, Failure: Error>(
    _ body: @BridgeQueue () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    EventLoop.shared.checkIsolated()
    return try withoutActuallyEscaping(body) { escaping throws(Failure) in
      // The check above is what the isolation promises; the type differs by that promise only.
      try unsafeBitCast(escaping, to: (() throws(Failure) -> Result).self)()
    }
  }

  /// Runs `body` on the queue soon, from any thread, after what was submitted before it.
  public nonisolated static func async(_ body: @escaping @BridgeQueue @Sendable () -> Void) {
    EventLoop.shared.submit(body)
  }

  /// Runs `body` once this turn's inputs are handled, before the queue waits again: the place to flush what
  /// several inputs have gathered.
  @BridgeQueue
  public static func atEndOfTurn(_ body: @escaping @BridgeQueue () -> Void) {
    Reactor.shared.endOfTurn.append(body)
  }
}
