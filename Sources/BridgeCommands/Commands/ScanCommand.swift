import BridgeProtocol

/// `bridge scan`: what is on the air, through the running service.
enum ScanCommand: Command {
  struct Settings: ClientSettings {
    var socket = StandardSocket.preferred
    var json = false
    var services: [SpelledUUID] = []
    var duration = Duration.seconds(5)
    var duplicates = false
  }

  static let name = "scan"
  static let summary = "What is on the air, as a client of the running service sees it."
  static let discussion = """
    Scans through the running service and lists what it hears, as any client would see it. Reports are shown as they
    come; a table of all devices follows at the end. Scanning is not traffic: it adds nothing to 'bridge devices'.

      bridge scan --service 180D --duration 10     heart-rate sensors, for ten seconds

    Exit status 1 says that nothing was heard.
    """
  static var options: [Option<Settings>] {
    [
      Option(names: ["--service", "-s"], value: "UUID", help: "Only devices that advertise it; may be repeated.") {
        (settings, text) throws(UsageError) in
        guard let uuid = SpelledUUID(text) else {
          throw UsageError("--service takes a UUID of 4, 8 or 36 characters, not '\(text)'")
        }
        settings.services.append(uuid)
      },
      .parsed(
        "--duration", "-d", value: "SECONDS", help: "How long to listen (default 5).", \.duration,
        expecting: "a number of seconds above 0"
      ) { text in Double(text).flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil } },
      .flag("--duplicates", help: "Show every advertisement, not only new content.", \.duplicates),
      .socket, .json,
    ]
  }
  static func settings() -> Settings { Settings() }

  static func run(_ settings: Settings) -> ExitStatus {
    settings.withService { (service) throws(ServiceClient.Failure) in
      guard service.welcome.state == .poweredOn else {
        throw ServiceClient.Failure(
          text: "The service's radio is \(service.welcome.state.name): see 'bridge status' and 'bridge doctor'.",
          status: .radioUnavailable)
      }
      let found = try listen(service, settings)
      if !settings.json { Terminal.say(summary(found)) }
      return found.isEmpty ? .nothingFound : .success
    }
  }

  /// The latest report of each device.
  private static func listen(_ service: ServiceClient, _ settings: Settings) throws(ServiceClient.Failure)
    -> [DidDiscover]
  {
    service.send(.scan(Scan(services: settings.services, allowDuplicates: settings.duplicates)))
    var found: [PeripheralIdentifier: DidDiscover] = [:]
    let deadline = ContinuousClock.now + settings.duration
    while let message = try service.receive(by: deadline) {
      guard case .didDiscover(let report) = message else { continue }
      if settings.json { Terminal.sayJSON(message) } else { Terminal.say(line(report)) }
      found[report.id] = report
    }
    service.send(.stopScan(StopScan()))
    return Array(found.values)
  }

  private static func line(_ report: DidDiscover) -> String {
    Terminal.clean("\(rssi(report)) dBm  \(report.id.text)  \(name(report))")
  }

  static func summary(_ reports: [DidDiscover]) -> String {
    if reports.isEmpty { return "Nothing was heard." }
    return "\n"
      + table(
        ["RSSI", "IDENTIFIER", "NAME", "SERVICES", "MANUFACTURER"],
        reports.sorted { strength($0) > strength($1) }.map { report in
          let data = report.advertisement
          return [
            rssi(report), report.id.text, name(report), data.serviceUUIDs.map(\.text).joined(separator: " "),
            data.manufacturerData.map(manufacturer) ?? "",
          ]
        })
  }

  private static func name(_ report: DidDiscover) -> String { report.name.isEmpty ? "-" : report.name }

  /// 127 means "not available".
  private static func rssi(_ report: DidDiscover) -> String { report.rssi == 127 ? "?" : "\(report.rssi)" }
  private static func strength(_ report: DidDiscover) -> Int { report.rssi == 127 ? .min : report.rssi }

  /// The company identifier as a number, then the data.
  static func manufacturer(_ data: [UInt8]) -> String {
    let hex = data.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return text.count == 1 ? "0" + text : text
    }
    guard hex.count >= 2 else { return hex.joined() }
    return "\(hex[1])\(hex[0]): \(hex.dropFirst(2).joined())"
  }
}
