import BridgeProtocol

/// What `bridge capture` takes, with its defaults.
struct CaptureSettings: ClientSettings {
  var socket = StandardSocket.preferred
  var json = false
  var filter = SightingFilter()
  var takesAll = false
  /// nil: until Enter when a person picks, else ten seconds.
  var duration: Duration?
  var output = ""
  var configurationName = ""
  var notificationTime: Duration?
  var limits = InspectionLimits()

  /// Whether the command line says which devices: nobody needs to be asked.
  var says: Bool { takesAll || !filter.name.isEmpty || !filter.services.isEmpty }

  static var options: [Option<CaptureSettings>] { choosing + results + [.socket, .json] }

  private static var choosing: [Option<CaptureSettings>] {
    [
      .text(
        "--name", "-n", value: "TEXT", help: "Only devices with that in their name, in any case, marks or none.",
        \.filter.name),
      Option(names: ["--service", "-s"], value: "UUID", help: "Only devices that advertise it; may be repeated.") {
        (settings, text) throws(UsageError) in
        guard let uuid = BluetoothUUID(text) else {
          throw UsageError("--service takes a UUID of 4, 8 or 36 characters, not '\(text)'")
        }
        settings.filter.services.append(uuid)
      },
      .flag("--all", "-a", help: "All that are seen.", \.takesAll),
      .flag("--connectable", help: "Only devices that can be connected to.", \.filter.isConnectableOnly),
      .flag("--unnamed", help: "Devices without a name, too.", \.filter.showsUnnamed),
      .parsed(
        "--duration", "-d", value: "SECONDS", help: "How long to scan (default 10, or until Enter).", \.duration,
        expecting: "a number of seconds above 0", seconds),
    ]
  }

  private static var results: [Option<CaptureSettings>] {
    [
      .text(
        "--output", "-o", value: "FILE", help: "Where to write; - for standard output (default NAME.json).", \.output),
      .text(
        "--configuration-name", value: "NAME", help: "What the configuration is called (default Capture DATE TIME).",
        \.configurationName),
      .parsed(
        "--notifications", value: "SECONDS",
        help: "Also subscribe to everything and keep what the devices notify meanwhile.", \.notificationTime,
        expecting: "a number of seconds above 0", seconds),
    ]
  }

  private static func seconds(_ text: String) -> Duration?? {
    Double(text).flatMap { $0 > 0 && $0 < 1e6 ? .some(.seconds($0)) : nil }
  }
}
