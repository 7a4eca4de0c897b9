import BridgeIO
import BridgeProtocol
import Radio

/// Asks the radio for the union of the sessions' scans, and gives each session what its own lets through.
@BridgeQueue
final class ScanCoordinator {
  private struct Scanner {
    let session: Session
    let scan: SessionScan
  }

  private let radio: any Radio
  /// Places are taken anew: sets of scanners are sets of small numbers.
  private var scanners: [Scanner?] = []
  private var slots: [ObjectIdentifier: Int] = [:]
  /// Free places that sightings still know as somebody's; not taken before they have forgotten them, all at once.
  private var stale = SlotSet()
  private var staleCount = 0
  private static let staleLimit = 64
  private var filters = ScanFilters()
  private var wantingDuplicates = SlotSet()
  /// Grows with every change of scans.
  private var generation: UInt64 = 1
  private var current: RadioScan?
  private var sightings: [PeripheralIdentifier: Sighting] = [:]

  /// Devices that change their address are another each time; a report too many does no harm.
  private static let memory = 16384

  init(radio: any Radio) { self.radio = radio }

  /// A session has a new scan: all that is in range is reported anew, to it; the others know it already.
  func start(_ session: Session) {
    guard let scan = session.scan else { return }
    remove(session)
    let slot = freeSlot()
    scanners[slot] = Scanner(session: session, scan: scan)
    slots[ObjectIdentifier(session)] = slot
    filters.add(scan.request, at: slot)
    if scan.request.allowDuplicates { wantingDuplicates.insert(slot) }
    generation += 1
    current = union
    radio.scan(current)
  }

  func stop(_ session: Session) {
    remove(session)
    guard union != current else { return }
    current = union
    radio.scan(current)
    if current == nil { sightings = [:] }
  }

  private func freeSlot() -> Int {
    if staleCount >= Self.staleLimit {
      for sighting in sightings.values { sighting.forget(stale) }
      stale = SlotSet()
      staleCount = 0
    }
    for slot in scanners.indices where scanners[slot] == nil && !stale.contains(slot) { return slot }
    scanners.append(nil)
    return scanners.count - 1
  }

  private func remove(_ session: Session) {
    guard let slot = slots.removeValue(forKey: ObjectIdentifier(session)), let scanner = scanners[slot] else { return }
    scanners[slot] = nil
    stale.insert(slot)
    staleCount += 1
    filters.remove(scanner.scan.request, at: slot)
    wantingDuplicates.remove(slot)
    generation += 1
  }

  private var union: RadioScan? {
    slots.isEmpty ? nil : RadioScan(allowDuplicates: !wantingDuplicates.isEmpty)
  }

  /// A scan that outlives a loss of the radio begins anew with it: whoever is still there is news again.
  func radioLost() { sightings = [:] }

  func hasReported(_ peripheral: PeripheralIdentifier, to session: Session) -> Bool {
    guard let slot = slots[ObjectIdentifier(session)] else { return false }
    return sightings[peripheral]?.isTold(slot) ?? false
  }

  // MARK: Reports

  /// To whoever wants it: what passes the filter with duplicates, new content without.
  func received(_ advertisement: Advertisement) {
    guard !slots.isEmpty else { return }
    let sighting = sighting(of: advertisement)
    if sighting.revision == advertisement.revision, sighting.generation == generation {
      // All who are to be told of it once have been.
      for slot in sighting.repeated { report(advertisement, sighting, to: slot) }
      return
    }
    sighting.update(to: advertisement)
    sighting.generation = generation
    let admitting = filters.admitting(advertisement)
    sighting.repeated = admitting.intersection(wantingDuplicates)
    for slot in admitting where wantingDuplicates.contains(slot) || !sighting.isInformed(slot) {
      sighting.inform(slot)
      report(advertisement, sighting, to: slot)
    }
  }

  private func sighting(of advertisement: Advertisement) -> Sighting {
    if let known = sightings[advertisement.peripheral] { return known }
    if sightings.count >= Self.memory { sightings = [:] }
    let sighting = Sighting(advertisement)
    sightings[advertisement.peripheral] = sighting
    return sighting
  }

  private func report(_ advertisement: Advertisement, _ sighting: Sighting, to slot: Int) {
    // A session may end while others are told.
    guard let scanner = scanners[slot] else { return }
    let line =
      scanner.scan.spelling.map { Sighting.line(of: advertisement, spelling: $0) } ?? sighting.line(of: advertisement)
    let channel = scanner.session.channel
    let rssi = advertisement.rssi
    if channel.isCongested {
      let key = ReplaceableLines.Key(high: advertisement.peripheral.high, low: advertisement.peripheral.low)
      channel.sendReplaceable(key) { line.append(rssi: rssi, to: &$0) }
    } else {
      channel.send { line.append(rssi: rssi, to: &$0) }
    }
  }
}
