import BridgeIO
import BridgeProtocol
import Glibc

/// The command line's own connection to the running service: it speaks the same protocol as every client and waits for
/// answers, on the main thread.
final class ServiceClient {
  /// Why there is no answer, in a sentence that says what to do.
  struct Failure: Error {
    var text: String
    var status: ExitStatus
    /// Nothing runs that could be asked.
    var isAbsence = false
  }

  private let socket: FileDescriptor
  private var framer = LineFramer(maximumLine: ProtocolLimits.maximumLineLength)
  let welcome: Welcome

  /// Connects to the service at `path`, by its control socket, which listens also while the radio is off.
  init(path: String) throws(Failure) {
    socket = try Self.connect(to: path)
    Self.send(
      .hello(
        Hello(
          clientVersion: BridgeVersion.current, bundleId: "bridge", pid: Int(getpid()),
          features: Features.all.names)), on: socket)
    guard case .welcome(let welcome) = try Self.receive(on: socket, &framer, by: .now + .seconds(5)) else {
      throw Failure(
        text: "Something listens at \(path), but it is not bridge: it did not answer a hello.", status: .noService)
    }
    self.welcome = welcome
  }

  func send(_ message: ClientMessage) { Self.send(message, on: socket) }

  /// The next message; nil at the deadline.
  func receive(by deadline: ContinuousClock.Instant? = nil) throws(Failure) -> ServerMessage? {
    try Self.receive(on: socket, &framer, by: deadline)
  }

  private static func connect(to path: String) throws(Failure) -> FileDescriptor {
    do throws(SocketError) {
      return try UnixSocket.connect(to: try SocketPath(path + ".control"))
    } catch {
      let hint =
        if case .system(_, let reason) = error, reason.errno == EACCES {
          "Its mode forbids it: start the service with --socket-mode or --socket-group, or use sudo."
        } else {
          "Start one with 'bridge serve', or name its socket with --socket."
        }
      var failure = Failure(text: "No service answers at \(path) (\(error)).\n\(hint)", status: .noService)
      if case .system(_, let reason) = error { failure.isAbsence = [ENOENT, ECONNREFUSED].contains(reason.errno) }
      throw failure
    }
  }

  private static func send(_ message: ClientMessage, on socket: borrowing FileDescriptor) {
    var line: [UInt8] = []
    message.appendLine(to: &line)
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        _ = wait(for: POLLOUT, on: socket, until: nil)
      } else {
        return  // The end of the connection is told by `receive`.
      }
    }
  }

  private static func receive(
    on socket: borrowing FileDescriptor, _ framer: inout LineFramer, by deadline: ContinuousClock.Instant?
  ) throws(Failure) -> ServerMessage? {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      do throws(LineTooLong) {
        if let range = try framer.next() {
          if let message = framer.withLine(range, { try? ServerMessage(line: $0) }) { return message }
          continue
        }
      } catch {
        throw Failure(text: "The service sent \(error).", status: .failure)
      }
      guard wait(for: POLLIN, on: socket, until: deadline) else { return nil }
      let count = read(socket.number, &chunk, chunk.count)
      if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
      guard count > 0 else { throw Failure(text: "The service closed the connection.", status: .noService) }
      chunk.withUnsafeBytes { framer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// False at the deadline.
  private static func wait(
    for events: CInt, on socket: borrowing FileDescriptor, until deadline: ContinuousClock.Instant?
  ) -> Bool {
    var entry = pollfd(fd: socket.number, events: Int16(events), revents: 0)
    while true {
      var timeout: CInt = -1
      if let deadline {
        let left = (deadline - .now).components
        timeout = CInt(
          clamping: max(0, left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
      }
      let count = poll(&entry, 1, timeout)
      if count > 0 { return true }
      if count == 0 { return false }
      precondition(errno == EINTR, "poll: \(SystemError(call: "poll"))")
    }
  }
}
