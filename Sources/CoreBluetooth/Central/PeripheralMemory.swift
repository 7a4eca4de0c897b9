import BridgeIO
import BridgeProtocol

/// What this process has seen of peripherals, for providers that cannot be asked.
@BridgeQueue
final class PeripheralMemory {
  struct Seen {
    var name: String
    var services: Set<BluetoothUUID>
  }

  private var seen: [PeripheralIdentifier: Seen] = [:]
  private static let capacity = 16384

  func note(_ report: DidDiscover) {
    if seen.count >= Self.capacity { seen = [:] }
    let data = report.advertisement
    var entry = seen[report.id] ?? Seen(name: "", services: [])
    let name = report.name.isEmpty ? data.localName ?? "" : report.name
    if !name.isEmpty { entry.name = name }
    entry.services.formUnion(data.serviceUUIDs + data.overflowServiceUUIDs)
    seen[report.id] = entry
  }

  subscript(id: PeripheralIdentifier) -> Seen? { seen[id] }

  /// Those of these that were seen.
  func peripherals(_ ids: [PeripheralIdentifier]) -> [RetrievedPeripheral] {
    ids.compactMap { id in seen[id].map { RetrievedPeripheral(id: id, name: $0.name) } }
  }
}
