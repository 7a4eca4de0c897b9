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
    Service.prepareSignals()
    let saved = SavedChoice(in: settings.stateDirectory)
    let choice: RadioChoice
    do throws(ConfigurationFailure) { choice = try settings.choice(saved) } catch {
      Terminal.complain(error.text)
      return .failure
    }
    return onBridgeQueue { done in
      let radios = ServiceRadios(
        bluez: settings.blueZConfiguration(), mock: settings.mock, stateDirectory: settings.stateDirectory,
        saved: saved)
      let server = Server(configuration: settings.serverConfiguration(), choice: choice, factory: radios)
      Service(server) { status in radios.finish { done(status) } }.start()
    }
  }
}
