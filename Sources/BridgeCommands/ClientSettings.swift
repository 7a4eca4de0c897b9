import BridgeProtocol

/// What all commands that ask the running service take.
protocol ClientSettings {
  var socket: String { get set }
  var json: Bool { get set }
}

extension Option where Settings: ClientSettings {
  static var socket: Option {
    .text(
      "--socket", value: "PATH", help: "The service's socket (default: $BRIDGE_SOCKET, else \(StandardSocket.path)).",
      \.socket)
  }

  static var json: Option {
    .flag("--json", help: "One JSON object per line, as the service sends it.", \.json)
  }
}

extension ClientSettings {
  /// Runs `body` with a connection; what goes wrong is told on standard error.
  func withService(_ body: (ServiceClient) throws(ServiceClient.Failure) -> ExitStatus) -> ExitStatus {
    do throws(ServiceClient.Failure) {
      return try body(try ServiceClient(path: socket))
    } catch {
      Terminal.complain("bridge: \(error.text)")
      return error.status
    }
  }
}

extension Terminal {
  static func sayJSON(_ message: ServerMessage) {
    var line: [UInt8] = []
    message.appendLine(to: &line)
    say(String(decoding: line.dropLast(), as: UTF8.self))
  }
}
