import BridgeProtocol
import Foundation

/// The centrals that a manager knows: one object for each, as long as somebody keeps it.
struct CentralTable {
  private struct Entry {
    weak var central: CBCentral?
  }

  private var entries: [PeripheralIdentifier: Entry] = [:]
  private var nextSweep = 64

  mutating func central(_ told: HostedCentral) -> CBCentral {
    if let central = entries[told.id]?.central {
      central.update(maximumUpdateValueLength: told.maximumUpdateValueLength)
      return central
    }
    let central = CBCentral(identifier: told.id.uuid, maximumUpdateValueLength: told.maximumUpdateValueLength)
    if entries.count >= nextSweep {
      entries = entries.filter { $0.value.central != nil }
      nextSweep = max(64, entries.count * 2)
    }
    entries[told.id] = Entry(central: central)
    return central
  }
}
