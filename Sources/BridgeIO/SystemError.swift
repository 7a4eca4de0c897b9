public import Glibc

/// A failed system call: its name and errno. `description` reads as strerror(3) does, behind the call's name.
public struct SystemError: Error, Hashable, CustomStringConvertible {
  public var call: String
  public var errno: CInt

  public init(call: String, errno: CInt = Glibc.errno) {
    self.call = call
    self.errno = errno
  }

  public var description: String { "\(call): \(String(cString: strerror(errno)))" }
}

/// Runs a system call until a signal no longer interrupts it; -1 becomes the error it stands for.
@discardableResult
public func check(_ call: String, _ body: () -> CInt) throws(SystemError) -> CInt {
  while true {
    let result = body()
    if result != -1 { return result }
    let number = errno
    if number != EINTR { throw SystemError(call: call, errno: number) }
  }
}
