import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import ReplayBackend

/// `bridge replay`: serves a recording in place of a radio, until SIGTERM or SIGINT.
enum ReplayCommand: Command {
  struct Settings {
    var serve = ServeSettings()
    var file = ""
    var isFast = false
  }

  static let name = "replay"
  static let summary = "Serves a recorded conversation in place of a radio."
  static let discussion = """
    Serves the socket as 'bridge serve' does, with a radio that does what a recording of 'bridge serve --record' says: the
    same requests get the same answers in their order, and notifications, advertisements and the loss of links follow the
    requests that they followed then, at the recorded pace. So a failure seen once on hardware becomes a test that needs none.

      bridge serve --record /tmp/recordings       and let the app fail
      bridge replay /tmp/recordings/FILE.ndjson   and let it fail again

    A request that the recording does not have fails with an error that names the first difference; at the end it is
    told again. A recording that was cut short replays to the cut. See docs/recordings.md.
    """
  static var operand: Operand<Settings>? {
    Operand(value: "FILE") { (settings, text) throws(UsageError) in
      guard settings.file.isEmpty else { throw UsageError("one recording at a time, not also '\(text)'") }
      settings.file = text
    }
  }
  static var options: [Option<Settings>] {
    [.flag("--fast", help: "Everything as soon as it can come, not at the recorded pace.", \.isFast)]
      + (ServeSettings.socketOptions + ServeSettings.outputOptions).map { $0.inside(\.serve) }
  }
  static func settings() -> Settings { Settings() }

  /// Bytes of a recording that is still read.
  private static let sizeLimit = 1 << 30

  static func run(_ settings: Settings) -> ExitStatus {
    guard !settings.file.isEmpty else {
      Terminal.complain("bridge replay: which recording? bridge replay FILE")
      return .usage
    }
    Log.level = settings.serve.logLevel
    guard let recording = read(settings.file) else { return .failure }
    Service.prepareSignals()
    return onBridgeQueue { done in
      let radio = ReplayRadio(recording, name: settings.file, isFast: settings.isFast)
      let worlds = ReplayWorlds(radio)
      Service(worlds.server(settings.serve.serverConfiguration())) { status in
        worlds.tellDifference()
        done(status)
      }.start()
    }
  }

  private static func read(_ path: String) -> Recording? {
    do {
      guard let bytes = try WholeFile.read(path, limit: sizeLimit) else {
        throw SystemError(call: "open", errno: ENOENT)
      }
      let recording = try Recording(file: bytes)
      if let cut = recording.cut {
        Terminal.complain("bridge: \(path) is replayed to its damage: \(cut)")
      } else if !recording.isComplete {
        Terminal.complain("bridge: \(path) was cut short and is replayed to the cut")
      }
      return recording
    } catch {
      Terminal.complain("bridge: \(path): \(error)")
      return nil
    }
  }
}
