import Glibc

/// A descriptor with one owner, closed exactly once: when the owner goes, or by `take()` never.
public struct FileDescriptor: ~Copyable, Sendable {
  public let number: CInt

  public init(owning number: CInt) { self.number = number }

  deinit { Glibc.close(number) }

  /// Gives the number away; the caller closes it.
  public consuming func take() -> CInt {
    let number = number
    discard self
    return number
  }

  public borrowing func setNonBlocking() throws(SystemError) {
    let number = number
    let flags = try check("fcntl") { fcntl(number, F_GETFL) }
    try check("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
  }
}
