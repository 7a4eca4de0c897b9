import BridgeIO
import BridgeProtocol
import Radio

/// One session's running scan: what it lets through, and what it has reported.
struct SessionScan {
  let request: Scan
  let spelling: UUIDSpelling
  private let services: [BluetoothUUID]
  private let solicited: [BluetoothUUID]
  private var reported: [PeripheralIdentifier: UInt64] = [:]

  private static let memory = 16384

  init(_ request: Scan) {
    self.request = request
    services = request.services.map(\.uuid)
    solicited = request.solicitedServices.map(\.uuid)
    spelling = UUIDSpelling(request.services + request.solicitedServices)
  }

  func hasReported(_ peripheral: PeripheralIdentifier) -> Bool { reported[peripheral] != nil }

  /// Whether the client is to be told: anything that passes the filter with duplicates, new content without.
  mutating func admits(_ advertisement: Advertisement) -> Bool {
    if !request.allowDuplicates, reported[advertisement.peripheral] == advertisement.revision { return false }
    guard matches(advertisement) else { return false }
    // Devices that change their address are another each time; a report too many does no harm.
    if reported.count >= Self.memory { reported = [:] }
    reported[advertisement.peripheral] = advertisement.revision
    return true
  }

  /// Everyone is to be reported again.
  mutating func forgetReports() { reported = [:] }

  /// Any service listed; solicited services widen a filter, they never make one.
  private func matches(_ advertisement: Advertisement) -> Bool {
    if services.isEmpty { return true }
    let data = advertisement.data
    if services.contains(where: { data.serviceUUIDs.contains($0) || data.overflowServiceUUIDs.contains($0) }) {
      return true
    }
    if services.contains(where: { advertisement.matchingServices.contains($0) }) { return true }
    return solicited.contains { data.solicitedServiceUUIDs.contains($0) }
  }
}
