internal import CLinux
import Glibc

/// Threads of our own, for the few things that must block.
public enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a detached thread that ends with `body`. The name shows in the first 15 bytes in `ps -L`.
  public static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context)
    precondition(result == 0, "a thread could not be started")
    pthread_setname_np(thread, name)
    pthread_detach(thread)
  }
}
