import BridgeIO

/// Waits, on the bridge queue, for what `start` hands to its completion.
@BridgeQueue
public func result<Value: Sendable>(
  of start: @BridgeQueue (@escaping @BridgeQueue (Value) -> Void) -> Void
) async -> Value {
  await withCheckedContinuation { continuation in
    start { continuation.resume(returning: $0) }
  }
}

/// Lets the bridge queue take `count` turns: what was ready before is handled after it.
@BridgeQueue
public func turns(_ count: Int = 3) async {
  for _ in 0..<count {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      BridgeQueue.async { continuation.resume() }
    }
  }
}

/// Waits until `condition` holds, which something on the bridge queue will bring about.
///
/// - Returns: false after `limit`, for a test to fail with.
@BridgeQueue
public func eventually(within limit: Duration = .seconds(30), _ condition: @BridgeQueue () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      QueueTimer(after: .milliseconds(1)) { continuation.resume() }
    }
  }
  return true
}
