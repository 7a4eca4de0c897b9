import BridgeProtocol

/// A manager's peripherals: one object for each device, as long as someone keeps it.
final class PeripheralTable {
  private struct Entry {
    weak var peripheral: CBPeripheral?
  }

  private let entries = Guarded<[PeripheralIdentifier: Entry]>([:])

  /// The object of that device; a new one if nobody keeps one.
  func peripheral(_ id: PeripheralIdentifier, of manager: CBCentralManager) -> CBPeripheral {
    entries.withLock { entries in
      if let known = entries[id]?.peripheral { return known }
      let peripheral = CBPeripheral(id, manager: manager)
      entries[id] = Entry(peripheral: peripheral)
      return peripheral
    }
  }

  func known(_ id: PeripheralIdentifier) -> CBPeripheral? { entries.withLock { $0[id]?.peripheral } }

  /// Forgets the object that goes, unless another has taken its place.
  func remove(_ id: PeripheralIdentifier) {
    let other = entries.withLock { entries in
      let other = entries[id]?.peripheral
      if other == nil { entries[id] = nil }
      return other
    }
    // Its own end, should it come now, comes back here: not under the lock.
    withExtendedLifetime(other) {}
  }

  var all: [CBPeripheral] { entries.withLock { $0.values.compactMap(\.peripheral) } }
}
