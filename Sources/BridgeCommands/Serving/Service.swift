import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc

/// A running service, from start to orderly stop by a signal.
@BridgeQueue
final class Service {
  private let server: Server
  private let done: @BridgeQueue @Sendable (ExitStatus) -> Void
  private var signals: SignalWatch?
  private var isStopping = false
  private nonisolated static let signalNumbers = [SIGTERM, SIGINT, SIGHUP]

  /// - Parameter done: called when the service has ended, or could not start.
  init(_ server: Server, done: @escaping @BridgeQueue @Sendable (ExitStatus) -> Void) {
    self.server = server
    self.done = done
  }

  /// Before any other thread is started: signals are to come to the service's watch only.
  nonisolated static func prepareSignals() {
    SignalWatch.ignoreBrokenPipes()
    SignalWatch.block(signalNumbers)
  }

  func start() {
    do {
      // The handler keeps the service until the end of the process.
      signals = try SignalWatch(Self.signalNumbers) { self.handle($0) }
      try server.start()
      Log.notice(
        "serve",
        "bridge \(BridgeVersion.current) serves \(server.socketPath), policy \(server.configuration.policy.rawValue)")
      QueueTimer(after: .seconds(5)) { [self] in tellProblem() }
    } catch {
      Log.error("serve", "\(error)")
      done(isTaken(error) ? .socketTaken : .failure)
    }
  }

  /// For who has just started it and wonders why no app gets on.
  private func tellProblem() {
    guard server.state != .poweredOn else { return }
    let problem = server.problem ?? "the radio is \(server.state.name)"
    Log.notice("serve", "no client can connect yet: \(problem) 'bridge doctor' looks at everything a radio needs")
  }

  private func isTaken(_ error: any Error) -> Bool {
    switch error as? ServerError {
    case .socket(.inUse), .socket(.notASocket): true
    default: false
    }
  }

  private func handle(_ signal: CInt) {
    if signal == SIGHUP { return server.reopenLogs() }
    guard !isStopping else {
      // Asked twice: the person does not want to wait.
      return done(.failure)
    }
    isStopping = true
    server.stop { [self] in done(.success) }
  }
}
