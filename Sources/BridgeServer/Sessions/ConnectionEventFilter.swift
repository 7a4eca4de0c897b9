import BridgeProtocol

/// Which of the host's connections a client wants to hear of: those of any peripheral or with any service named. Without
/// either it hears of none.
struct ConnectionEventFilter {
  private let peripherals: Set<PeripheralIdentifier>
  let services: Set<BluetoothUUID>

  /// Reads the options under Apple's names; what is no UUID is left out. nil if nothing is named.
  init?(_ request: RegisterForConnectionEvents) {
    peripherals = Set(
      Self.texts(request, "ConnectionEventMatchingOptionPeripheralUUIDs").compactMap { PeripheralIdentifier($0) })
    services = Set(Self.texts(request, "ConnectionEventMatchingOptionServiceUUIDs").compactMap { BluetoothUUID($0) })
    if peripherals.isEmpty && services.isEmpty { return nil }
  }

  func admits(_ peripheral: PeripheralIdentifier, services known: Set<BluetoothUUID>) -> Bool {
    peripherals.contains(peripheral) || !services.isDisjoint(with: known)
  }

  /// Apple's constants read `CBConnectionEvent…`, their values `kCBConnectionEvent…`.
  private static func texts(_ request: RegisterForConnectionEvents, _ name: String) -> [String] {
    let value = request.options["kCB" + name] ?? request.options["CB" + name]
    switch value {
    case .array(let elements): return elements.compactMap(\.stringValue)
    case .string(let text): return [text]
    default: return []
    }
  }
}
