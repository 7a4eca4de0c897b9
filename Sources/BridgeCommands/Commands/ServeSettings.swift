import BlueZBackend
import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend

/// What `bridge serve` takes, with its defaults.
struct ServeSettings {
  var socket = StandardSocket.preferred
  var permissions = UnixSocket.Permissions()
  var policy = ServerConfiguration.Policy.shared
  var activityLog = ""
  var recording = ""
  /// nil for what was chosen last.
  var mode: RadioMode?
  /// Name or file; empty for what was chosen last.
  var mockConfiguration = ""
  var mock = VirtualRadioOptions()
  var bluez = BlueZConfiguration()
  var stateDirectory = StateDirectory.preferred
  var logLevel = Log.Level.notice

  static var options: [Option<ServeSettings>] {
    socketOptions + modeOptions + radioOptions + [stateOption] + outputOptions
  }

  /// Of every command that serves.
  static var socketOptions: [Option<ServeSettings>] {
    [
      .text(
        "--socket", value: "PATH",
        help: "Where clients connect (default: $BRIDGE_SOCKET, else \(StandardSocket.path)).", \.socket),
      .parsed(
        "--socket-mode", value: "MODE", help: "Octal mode of the socket (default 0600: this user only).",
        \.permissions.mode, expecting: "an octal mode such as 0660"
      ) { text in UInt32(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil } },
      .parsed(
        "--socket-group", value: "GROUP", help: "Group of the socket; use it with --socket-mode 0660.",
        \.permissions.group, expecting: "a group name"
      ) { text in text.isEmpty ? nil : .some(text) },
      .parsed(
        "--policy", value: "POLICY",
        help: "shared: any number of apps at once (default).\ntakeover: the newest app evicts the one before, as\n"
          + "ImpossiBLE's own provider does.",
        \.policy, expecting: "shared or takeover", ServerConfiguration.Policy.init(rawValue:)),
    ]
  }

  private static var modeOptions: [Option<ServeSettings>] {
    [
      .parsed(
        "--radio", value: "MODE",
        help: "What to serve: auto (the adapter if there is one, else virtual\ndevices), bluez (the adapter), mock "
          + "(virtual devices), both, off.\nDefault: what 'bridge mode' chose last, else auto; bluez with --adapter.",
        \.mode, expecting: "auto, bluez, mock, both or off"
      ) { text in RadioMode(rawValue: text).map { .some($0) } },
      .text(
        "--mock-config", value: "NAME|FILE",
        help: "The virtual devices: a name from 'bridge mock list', or a file.\nDefault: what 'bridge mock use' chose "
          + "last, else '\(MockConfiguration.stock[0].name)'.", \.mockConfiguration),
      .parsed(
        "--mock-compat", value: "RULES",
        help:
          "hardware: virtual devices keep the rules of real ones (default).\nimpossible: as lax as ImpossiBLE's mock.",
        \.mock.compatibility, expecting: "hardware or impossible", VirtualRadioOptions.Compatibility.init(rawValue:)),
      .parsed(
        "--mock-passkey", value: "ENTRY",
        help:
          "What is typed when a virtual device shows a passkey: six digits,\ncorrect for whatever it shows, asked for "
          + "what 'bridge mock passkey'\nsays then, refused for nothing (default).",
        \.mock.passkeyEntry, expecting: "six digits, correct, asked or refused", PasskeyEntry.init(text:)),
    ]
  }

  private static var radioOptions: [Option<ServeSettings>] {
    [
      .parsed(
        "--adapter", value: "ADAPTER", help: "hciN or an address (default: the first powered LE adapter).",
        \.bluez.adapter, expecting: "hciN or an address such as 00:1A:7D:DA:71:13", AdapterSelector.init),
      .flag("--power-on", help: "Switch the adapter on when it is off.", \.bluez.powersOn),
      .parsed(
        "--agent", value: "MODE",
        help: "How to take part in pairing:\n\(AgentMode.allCases.map(\.rawValue).joined(separator: ", "))\n"
          + "(default \(AgentConfiguration().mode.rawValue)). just-works suits machines without a screen.",
        \.bluez.agent.mode, expecting: "one of the modes in 'bridge help serve'", AgentMode.init(rawValue:)),
      .parsed(
        "--passkey", value: "DIGITS", help: "What to type when a device shows a passkey (--agent keyboard).",
        \.bluez.agent.passkey, expecting: "one to six digits"
      ) { text in AgentConfiguration.passkey(text).map { .some($0) } },
      .parsed(
        "--bus", value: "ADDRESS", help: "Another D-Bus than the system bus.", \.bluez.busAddress,
        expecting: "a D-Bus address"
      ) { text in text.isEmpty ? nil : .some(text) },
    ]
  }

  private static var stateOption: Option<ServeSettings> {
    .text(
      "--state-dir", value: "DIR",
      help:
        "What outlives the service: identifiers of devices, imported\nconfigurations, what is served (default \(StateDirectory.preferred)).",
      \.stateDirectory)
  }

  /// Of every command that serves.
  static var outputOptions: [Option<ServeSettings>] {
    [
      .text(
        "--activity-log", value: "FILE",
        help: "Append one JSON line for each GATT or L2CAP operation; SIGHUP reopens it.", \.activityLog),
      .text(
        "--record", value: "DIR",
        help: "Keep each client's conversation in a file in DIR: all that devices and apps\nsay (docs/recordings.md).",
        \.recording),
      .parsed(
        "--log-level", value: "LEVEL", help: "error, notice (default), info or debug; to standard error.", \.logLevel,
        expecting: "error, notice, info or debug", Log.Level.init(name:)),
    ]
  }

  func serverConfiguration() -> ServerConfiguration {
    ServerConfiguration(
      socketPath: socket, permissions: permissions, inherited: InheritedSocket.takeAll(), policy: policy,
      activityLogPath: activityLog.isEmpty ? nil : activityLog,
      recordingPath: recording.isEmpty ? nil : recording, serverVersion: BridgeVersion.current)
  }

  /// What to serve: the command line's word counts before what was chosen in an earlier run.
  ///
  /// - Throws: when the command line names a configuration that cannot be served.
  func choice(_ saved: SavedChoice) throws(ConfigurationFailure) -> RadioChoice {
    var choice = RadioChoice()
    choice.mode = mode ?? saved.mode ?? (bluez.adapter == .automatic ? .auto : .bluez)
    let library = ConfigurationLibrary(stateDirectory: stateDirectory)
    if !mockConfiguration.isEmpty {
      choice.configuration = try library.configuration(mockConfiguration)
    } else if let name = saved.mockConfiguration {
      do throws(ConfigurationFailure) { choice.configuration = try library.configuration(named: name) } catch {
        Log.error("serve", "\(error.text) '\(choice.configuration.name)' is served instead.")
      }
    }
    return choice
  }

  func blueZConfiguration() -> BlueZConfiguration {
    var configuration = bluez
    configuration.stateDirectory = stateDirectory
    return configuration
  }
}
