import BridgeIO
import Glibc

/// Who has the service's socket. Never connects to it: to an ImpossiBLE provider a connection would be a new client.
struct SocketChecks {
  var path: String

  func owner() -> Finding {
    let socketPath: SocketPath
    do throws(SocketError) { socketPath = try SocketPath(path) } catch {
      return .problem("socket", "\(error)", advice: "Choose a shorter path with --socket.")
    }
    var there = stat()
    guard lstat(path, &there) == 0 else {
      return closed()
    }
    guard there.st_mode & S_IFMT == S_IFSOCK else {
      return .problem(
        "socket", "\(path) exists and is not a socket", advice: "Remove the file, or choose another path with --socket."
      )
    }
    let holder = LockFile.holder(of: path + ".lock")
    guard UnixSocket.isLive(socketPath) else {
      return .notice(
        "socket", "\(path) is left from a service that is gone", advice: "The next 'bridge serve' replaces it.")
    }
    if access(path, W_OK) != 0 {
      return .problem(
        "socket", "\(path) belongs to \(holder) and may not be used by this user",
        advice: "Start the service with --socket-mode 0660 and --socket-group, or use sudo.")
    }
    return holder.pid > 0
      ? .good("socket", "\(path) is served by \(holder)")
      : .notice(
        "socket", "\(path) is served by a program that is not bridge",
        advice: "Stop it (ImpossiBLE's own provider, an ssh forwarding?), or choose another path with --socket.")
  }

  /// Nothing is at the path; a service hides its socket while the radio is off, but not the control socket.
  private func closed() -> Finding {
    guard let control = try? SocketPath(path + ".control"), access(control.text, F_OK) == 0, UnixSocket.isLive(control)
    else { return .good("socket", "\(path) is free: no service runs there now") }
    return .notice(
      "socket", "\(path) is closed, and \(LockFile.holder(of: path + ".lock")) will open it when the radio is on",
      advice: "See 'bridge status' for what is in the way.")
  }
}
