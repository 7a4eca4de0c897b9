import BridgeProtocol
import Radio

/// Finds the scans that let an advertisement through, without asking each of them.
struct ScanFilters {
  private var unfiltered = SlotSet()
  private var services: [BluetoothUUID: SlotSet] = [:]
  private var solicited: [BluetoothUUID: SlotSet] = [:]

  mutating func add(_ scan: Scan, at slot: Int) {
    // Solicited services widen a filter, they never make one.
    if scan.services.isEmpty { return unfiltered.insert(slot) }
    for service in scan.services { services[service.uuid, default: SlotSet()].insert(slot) }
    for service in scan.solicitedServices { solicited[service.uuid, default: SlotSet()].insert(slot) }
  }

  mutating func remove(_ scan: Scan, at slot: Int) {
    unfiltered.remove(slot)
    for service in scan.services { Self.remove(slot, from: &services, service.uuid) }
    for service in scan.solicitedServices { Self.remove(slot, from: &solicited, service.uuid) }
  }

  private static func remove(_ slot: Int, from index: inout [BluetoothUUID: SlotSet], _ service: BluetoothUUID) {
    index[service]?.remove(slot)
    if index[service]?.isEmpty == true { index[service] = nil }
  }

  func admitting(_ advertisement: Advertisement) -> SlotSet {
    var result = unfiltered
    let data = advertisement.data
    if !services.isEmpty {
      for list in [data.serviceUUIDs, data.overflowServiceUUIDs, advertisement.matchingServices] {
        for service in list { if let slots = services[service] { result.formUnion(slots) } }
      }
    }
    if !solicited.isEmpty {
      for service in data.solicitedServiceUUIDs { if let slots = solicited[service] { result.formUnion(slots) } }
    }
    return result
  }
}
