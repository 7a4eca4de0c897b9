import Glibc

/// A value that threads share, behind a lock. For the few things that do not live on the bridge queue.
///
/// pthread's mutex, and not the standard library's: the thread sanitizer does not see the latter on Linux, and would
/// report every use of it.
///
/// `@unchecked Sendable` is sound: the value is reached only inside `withLock`, and enters and leaves by `sending`.
package final class Lock<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
