import BridgeIO

/// The changing part of an object that the app's threads and the engine both touch: every access is made under a lock.
///
/// Not `Sendable`, as the classes that hold one are not; what it holds need not be either.
package final class Guarded<State> {
  private var state: State
  /// Not of `()`: what has no size shares its address with the mutex, and the thread sanitizer reports that.
  private let lock = Lock(false)

  package init(_ state: State) { self.state = state }

  /// Runs `body`, which must be short and call nothing that could come back here.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    var result: Result?
    lock.withLock { _ in result = body(&state) }
    guard let result else { preconditionFailure("the body always runs") }
    return result
  }

  package subscript<Value>(_ path: WritableKeyPath<State, Value>) -> Value {
    get { withLock { $0[keyPath: path] } }
    set { withLock { $0[keyPath: path] = newValue } }
  }
}
