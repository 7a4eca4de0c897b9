import BridgeProtocol
import Foundation

/// One scan of a manager's, and what it lets through.
struct CentralScan: Sendable {
  let number: Int
  private let services: [SpelledUUID]
  private let solicited: [SpelledUUID]
  private let allowDuplicates: Bool
  private var reported: [PeripheralIdentifier: AdvertisementData] = [:]

  private static let memory = 16384

  init(services: [CBUUID]?, options: [String: Any]?, number: Int) {
    self.number = number
    self.services = Self.spelled(services)
    solicited = Self.spelled(options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID])
    allowDuplicates = (options ?? [:]).bool(CBCentralManagerScanOptionAllowDuplicatesKey)
  }

  /// Each once, in the order of the text, as ImpossiBLE's client sends them.
  private static func spelled(_ uuids: [CBUUID]?) -> [SpelledUUID] {
    let texts = (uuids ?? []).map(\.uuidString).sorted()
    return texts.enumerated().filter { $0.offset == 0 || texts[$0.offset - 1] != $0.element }
      .compactMap { SpelledUUID($0.element) }
  }

  /// - Parameter isBridge: whether the provider is bridge. It tells in which width a device advertises unless it is asked
  ///   in another; others may compare texts.
  func request(scanner: Int, isBridge: Bool) -> Scan {
    func spelled(_ uuids: [SpelledUUID]) -> [SpelledUUID] { isBridge ? uuids.map { SpelledUUID($0.uuid) } : uuids }
    return Scan(
      services: spelled(services), allowDuplicates: allowDuplicates, solicitedServices: spelled(solicited),
      scannerKeys: ["cbs_\(scanner)"])
  }

  /// Whether a report is for this scan, and not a late one for the scan before.
  func admits(_ data: AdvertisementData) -> Bool {
    if services.isEmpty { return true }
    if services.contains(where: { data.serviceUUIDs.contains($0.uuid) || data.overflowServiceUUIDs.contains($0.uuid) })
    {
      return true
    }
    return solicited.contains { data.solicitedServiceUUIDs.contains($0.uuid) }
  }

  /// Whether there is news, for a provider that repeats itself.
  mutating func isNews(_ report: DidDiscover) -> Bool {
    if allowDuplicates { return true }
    if reported[report.id] == report.advertisement { return false }
    if reported.count >= Self.memory { reported = [:] }
    reported[report.id] = report.advertisement
    return true
  }
}
