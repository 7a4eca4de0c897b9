import BridgeIO
import CLinux
import Glibc

/// Runs something on the bridge queue from the main thread and waits for what it hands over.
func onBridgeQueue<Value: Sendable>(
  _ body: @escaping @BridgeQueue @Sendable (_ done: @escaping @BridgeQueue @Sendable (Value) -> Void) -> Void
) -> Value {
  let box = Handover<Value>()
  BridgeQueue.async { body { box.put($0) } }
  return box.take()
}

/// One value from one thread to another.
private final class Handover<Value: Sendable>: Sendable {
  private let value = Lock<Value?>(nil)
  private let ready: CInt

  init() {
    ready = eventfd(0, CInt(EFD_CLOEXEC))
    precondition(ready >= 0, "no descriptor left")
  }

  deinit { close(ready) }

  func put(_ new: Value) {
    value.withLock { $0 = new }
    eventfd_write(ready, 1)
  }

  func take() -> Value {
    while true {
      var count: eventfd_t = 0
      if eventfd_read(ready, &count) == 0, let value = value.withLock({ $0 }) { return value }
    }
  }
}
