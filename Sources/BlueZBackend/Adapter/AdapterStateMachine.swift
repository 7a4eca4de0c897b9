import BridgeProtocol

/// Turns what is seen of bluetoothd and its adapter into a `CBManagerState`, as a value without clock or bus.
struct AdapterStateMachine {
  enum Observation: Equatable {
    /// No bus, no owner of org.bluez, or its objects are not known yet.
    case noService
    /// The bus forbids talking to bluetoothd.
    case denied
    case noAdapter
    case adapter(isPowered: Bool)
  }

  private(set) var state: AdapterState = .unknown
  /// Whether an absence is being waited out; its end is told with `graceEnded`.
  private(set) var isInGrace = true

  mutating func observe(_ observation: Observation) {
    switch observation {
    case .denied: settle(.unauthorized)
    case .adapter(let isPowered): settle(isPowered ? .poweredOn : .poweredOff)
    case .noService: lose(becoming: .resetting)
    case .noAdapter: lose(becoming: .unknown)
    }
  }

  /// The absence lasted: there is nothing to wait for.
  mutating func graceEnded() {
    guard isInGrace else { return }
    isInGrace = false
    state = .unsupported
  }

  private mutating func settle(_ new: AdapterState) {
    state = new
    isInGrace = false
  }

  /// Something that was there is gone. Until something was, the state stays unknown, and unsupported once that is said.
  private mutating func lose(becoming lost: AdapterState) {
    switch state {
    case .unknown, .resetting, .unsupported: break
    case .unauthorized, .poweredOff, .poweredOn:
      state = lost
      isInGrace = true
    }
  }
}
