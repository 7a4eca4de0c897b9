import BridgeProtocol
import Glibc

/// Scans through the service and shows what it finds as it comes.
struct CaptureScan {
  private let service: ServiceClient
  private let settings: CaptureSettings
  /// Whether a person ends the scan with Enter.
  private let isInteractive: Bool
  private var sightings: [PeripheralIdentifier: Sighting] = [:]
  private static let refresh = Duration.milliseconds(500)
  private static let shownRows = 30

  init(through service: ServiceClient, _ settings: CaptureSettings, isInteractive: Bool) {
    self.service = service
    self.settings = settings
    self.isInteractive = isInteractive
  }

  /// - Returns: what the filter admits, most wanted first.
  mutating func run() throws(ServiceClient.Failure) -> [Sighting] {
    service.send(.scan(Scan(services: settings.filter.services.map { SpelledUUID($0) }, allowDuplicates: true)))
    let end = (settings.duration ?? (isInteractive ? nil : .seconds(10))).map { ContinuousClock.now + $0 }
    var nextShow = ContinuousClock.now
    while end.map({ .now < $0 }) ?? true {
      let slice = min(nextShow, end ?? nextShow)
      while let message = try service.receive(by: slice) {
        add(message)
        if .now >= slice { break }
      }
      if isInteractive && Self.enterWasPressed() { break }
      if .now >= nextShow {
        show()
        nextShow = .now + Self.refresh
      }
    }
    service.send(.stopScan(StopScan()))
    return sorted
  }

  private mutating func add(_ message: ServerMessage) {
    guard case .didDiscover(let report) = message else { return }
    if settings.json { Terminal.sayJSON(message) }
    let wasShown = sightings[report.id].map(settings.filter.admits) ?? false
    var sighting = sightings[report.id] ?? Sighting(report)
    if sightings[report.id] != nil { sighting.add(report) }
    sightings[report.id] = sighting
    // Also a device whose name came late.
    if !wasShown, !isInteractive, !settings.json, settings.filter.admits(sighting) {
      Terminal.complain("Found \(Self.text(sighting))")
    }
  }

  private var sorted: [Sighting] { sightings.values.filter(settings.filter.admits).sorted(by: <) }

  private static func text(_ sighting: Sighting) -> String {
    Terminal.clean("\(sighting.displayName)  \(sighting.id.text)  \(rssi(sighting)) dBm")
  }

  // MARK: For a person

  private func show() {
    guard isInteractive, !settings.json else { return }
    let all = sorted
    let hidden = sightings.count - all.count
    var text = Self.table(Array(all.prefix(Self.shownRows)))
    if all.count > Self.shownRows { text += "\nand \(all.count - Self.shownRows) more" }
    text += "\n\n\(all.count) devices"
    if hidden > 0 {
      text += ", \(hidden) hidden\(settings.filter.showsUnnamed ? "" : " (--unnamed shows those without a name)")"
    }
    Terminal.show(text + ". Press Enter to choose.")
  }

  /// Numbered from 1.
  static func table(_ sightings: [Sighting]) -> String {
    if sightings.isEmpty { return "Nothing was heard yet." }
    return BridgeCommands.table(
      ["", "NAME", "RSSI", "CONNECTABLE", "SERVICES", "MANUFACTURER", "IDENTIFIER"],
      sightings.enumerated().map { index, sighting in
        [
          "\(index + 1)", sighting.displayName, rssi(sighting), sighting.isConnectable ? "yes" : "no",
          sighting.data.serviceUUIDs.map(\.text).joined(separator: " "),
          sighting.data.manufacturerData.map { ScanCommand.manufacturer(Array($0.prefix(12))) } ?? "", sighting.id.text,
        ]
      })
  }

  private static func rssi(_ sighting: Sighting) -> String { sighting.rssi.map(String.init) ?? "?" }

  private static func enterWasPressed() -> Bool {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    _ = readLine()
    return true
  }
}
