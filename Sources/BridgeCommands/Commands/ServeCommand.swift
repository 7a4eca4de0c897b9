import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio

/// `bridge serve`: runs the service until SIGTERM or SIGINT.
enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "Runs the service: gives clients this machine's Bluetooth adapter, or virtual devices."
  static let discussion = """
    Serves the socket until it is told to stop (SIGTERM, Ctrl-C): scans are stopped then, links that clients had made are
    closed, and the socket is removed. SIGHUP reopens the activity log.

    Clients connect to the socket while the radio is on. While it is off, missing or blocked nobody listens there: that
    is how ImpossiBLE's clients see "Bluetooth is off". PATH.control beside it listens always, for 'bridge status' and
    the other commands; PATH.lock says which process serves.

    Without an adapter virtual devices are served until one is plugged in (--radio auto); 'bridge mode' changes that while
    the service runs, and what it chose is remembered. Once an adapter has been there, it is waited for when it goes.

    Under systemd a socket passed by it is used; see packaging/.

    Exit status 5 says that the socket belongs to another program; the message names it.
    """
  static var options: [Option<ServeSettings>] { ServeSettings.options }
  static func settings() -> ServeSettings { ServeSettings() }

  static func run(_ settings: ServeSettings) -> ExitStatus {
    Log.level = settings.logLevel
    SignalWatch.ignoreBrokenPipes()
    SignalWatch.block([SIGTERM, SIGINT, SIGHUP])
    let saved = SavedChoice(in: settings.stateDirectory)
    let choice: RadioChoice
    do throws(ConfigurationFailure) { choice = try settings.choice(saved) } catch {
      Terminal.complain(error.text)
      return .failure
    }
    return onBridgeQueue { done in
      let service = Service(settings, choice, saved, done: done)
      service.start()
    }
  }
}

/// The running service: server and radio, from start to orderly stop.
@BridgeQueue
private final class Service {
  private let settings: ServeSettings
  private let radios: ServiceRadios
  private let server: Server
  private let done: @BridgeQueue @Sendable (ExitStatus) -> Void
  private var signals: SignalWatch?
  private var isStopping = false

  init(
    _ settings: ServeSettings, _ choice: RadioChoice, _ saved: SavedChoice,
    done: @escaping @BridgeQueue @Sendable (ExitStatus) -> Void
  ) {
    self.settings = settings
    radios = ServiceRadios(
      bluez: settings.blueZConfiguration(), mock: settings.mock, stateDirectory: settings.stateDirectory, saved: saved)
    server = Server(configuration: settings.serverConfiguration(), choice: choice, factory: radios)
    self.done = done
  }

  func start() {
    do {
      // The handler keeps the service until the end of the process.
      signals = try SignalWatch([SIGTERM, SIGINT, SIGHUP]) { self.handle($0) }
      try server.start()
      Log.notice(
        "serve", "bridge \(BridgeVersion.current) serves \(server.socketPath), policy \(settings.policy.rawValue)")
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
    server.stop { [self] in radios.finish { [self] in done(.success) } }
  }
}
