import BridgeIO
import BridgeProtocol

/// What all commands that ask the running service take.
protocol ClientSettings {
  var socket: String { get set }
  var json: Bool { get set }
}

/// What commands take that also look at what the service keeps.
protocol StateSettings: ClientSettings {
  var stateDirectory: String { get set }
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

extension Option where Settings: StateSettings {
  static var stateDirectory: Option {
    .text(
      "--state-dir", value: "DIR", help: "The service's state directory\n(default \(StateDirectory.preferred)).",
      \.stateDirectory)
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

extension StateSettings {
  /// Tells the running service what to serve; without one it is saved for the next start.
  ///
  /// - Parameter check: called before saving.
  /// - Returns: what holds, and whether a service said so.
  func choose(
    _ request: SetMode, check: () throws(ServiceClient.Failure) -> Void = { () throws(ServiceClient.Failure) in }
  ) throws(ServiceClient.Failure) -> (answer: DidSetMode, isServed: Bool) {
    let service: ServiceClient
    do throws(ServiceClient.Failure) { service = try ServiceClient(path: socket) } catch {
      guard error.isAbsence else { throw error }
      try check()
      return (try save(request), false)
    }
    service.send(.setMode(request))
    while let message = try service.receive(by: .now + .seconds(10)) {
      guard case .didSetMode(let answer) = message else { continue }
      if let error = answer.error { throw ServiceClient.Failure(text: error.text, status: .failure) }
      return (answer, true)
    }
    throw ServiceClient.Failure(text: "The service did not answer within 10 s.", status: .failure)
  }

  private func save(_ request: SetMode) throws(ServiceClient.Failure) -> DidSetMode {
    var saved = SavedChoice(in: stateDirectory)
    saved.mode = request.mode ?? saved.mode
    saved.mockConfiguration = request.mockConfiguration ?? saved.mockConfiguration
    if request != SetMode() {
      do throws(SystemError) { try saved.save(in: stateDirectory) } catch {
        throw ServiceClient.Failure(text: "\(stateDirectory): \(error)", status: .failure)
      }
    }
    return DidSetMode(
      mode: saved.mode ?? .auto, serving: ServedMode.off.rawValue, mockConfiguration: saved.mockConfiguration)
  }
}

extension Terminal {
  static func sayJSON(_ message: ServerMessage) {
    var line: [UInt8] = []
    message.appendLine(to: &line)
    say(String(decoding: line.dropLast(), as: UTF8.self))
  }
}
