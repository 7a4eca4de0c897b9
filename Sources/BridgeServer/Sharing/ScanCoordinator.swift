import BridgeIO
import BridgeProtocol
import Radio

/// Asks the radio for the union of the sessions' scans, and gives each session what its own lets through.
@BridgeQueue
final class ScanCoordinator {
  private let radio: any Radio
  private var sessions: [Session] = []
  private var current: RadioScan?
  /// Reports as nearly everyone gets them, kept for repeats; the key to see that content has changed.
  private var lines: [PeripheralIdentifier: (revision: UInt64, line: DiscoveryLine)] = [:]

  private static let lineLimit = 4096

  init(radio: any Radio) { self.radio = radio }

  /// A session has a new scan: all that is in range is reported anew, to it; the others know it already.
  func start(_ session: Session) {
    if !sessions.contains(where: { $0 === session }) { sessions.append(session) }
    current = union
    radio.scan(current)
  }

  func stop(_ session: Session) {
    sessions.removeAll { $0 === session }
    guard union != current else { return }
    current = union
    radio.scan(current)
    if current == nil { lines = [:] }
  }

  private var union: RadioScan? {
    let scans = sessions.compactMap { $0.scan?.request }
    return scans.isEmpty ? nil : RadioScan(allowDuplicates: scans.contains { $0.allowDuplicates })
  }

  /// A scan that outlives a loss of the radio begins anew with it: whoever is still there is news again.
  func radioLost() {
    for session in sessions { session.scan?.forgetReports() }
    lines = [:]
  }

  // MARK: Reports

  func received(_ advertisement: Advertisement) {
    for session in sessions where session.scan?.admits(advertisement) == true { report(advertisement, to: session) }
  }

  private func report(_ advertisement: Advertisement, to session: Session) {
    guard let spelling = session.scan?.spelling else { return }
    let key = ReplaceableLines.Key(high: advertisement.peripheral.high, low: advertisement.peripheral.low)
    if session.channel.isCongested {
      session.channel.sendReplaceable(key) {
        Self.line(of: advertisement, spelling: spelling).append(rssi: advertisement.rssi, to: &$0)
      }
    } else {
      let line =
        spelling == UUIDSpelling() ? line(of: advertisement) : Self.line(of: advertisement, spelling: spelling)
      session.channel.send { line.append(rssi: advertisement.rssi, to: &$0) }
    }
  }

  private func line(of advertisement: Advertisement) -> DiscoveryLine {
    if let known = lines[advertisement.peripheral], known.revision == advertisement.revision { return known.line }
    let line = Self.line(of: advertisement, spelling: UUIDSpelling())
    if lines.count >= Self.lineLimit { lines = [:] }
    lines[advertisement.peripheral] = (advertisement.revision, line)
    return line
  }

  private static func line(of advertisement: Advertisement, spelling: UUIDSpelling) -> DiscoveryLine {
    DiscoveryLine(
      id: advertisement.peripheral, name: advertisement.name ?? advertisement.data.localName ?? "",
      advertisement: advertisement.data, spelling: spelling)
  }
}
