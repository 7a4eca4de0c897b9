import BridgeIO
import BridgeProtocol
import DBus

@BridgeQueue
protocol AdapterControllerObserver: AnyObject {
  /// `path` or `state` is another; what they were before is given.
  func adapterDidChange(_ adapter: AdapterController, oldPath: String?, oldState: AdapterState)
}

/// The adapter in use: which one, whether it is on, and what stands in the way.
@BridgeQueue
final class AdapterController {
  private(set) var current: Adapter1?
  private(set) var machine = AdapterStateMachine()
  weak var observer: (any AdapterControllerObserver)?

  private let service: BlueZService
  private let powersOn: Bool
  private let timing: BlueZTiming
  private var selection: AdapterSelection
  private var grace: QueueTimer?
  private var replugGrace: QueueTimer?
  /// Of the adapter object whose switching on has been seen to, so that a later switching off is respected.
  private var poweredPath: String?
  private var powerError: DBusError?
  private var powerRetry: QueueTimer?
  private var powerAttempts = 0
  private var wasBlocked = false

  init(service: BlueZService, configuration: BlueZConfiguration) {
    self.service = service
    powersOn = configuration.powersOn
    timing = configuration.timing
    selection = AdapterSelection(configuration.adapter)
  }

  var state: AdapterState { machine.state }
  var path: String? { current?.path }

  func start() { waitOutAbsence() }

  func stop() {
    grace?.cancel()
    replugGrace?.cancel()
    powerRetry?.cancel()
  }

  // MARK: Observation

  /// Looks again at the service and its adapters.
  func update() {
    let before = (path, machine.state)
    current = service.state == .ready ? selection.choose(from: service.cache.adapters) : nil
    machine.observe(observation)
    seeToPower()
    seeToAbsence()
    tell(before)
  }

  private func tell(_ before: (path: String?, state: AdapterState)) {
    if before.path != path || before.state != state {
      observer?.adapterDidChange(self, oldPath: before.path, oldState: before.state)
    }
  }

  private var observation: AdapterStateMachine.Observation {
    switch service.state {
    case .noBus, .noOwner, .loading: .noService
    case .denied: .denied
    case .ready: current.map { .adapter(isPowered: $0.isPowered) } ?? .noAdapter
    }
  }

  private func seeToAbsence() {
    if !machine.isInGrace {
      grace?.cancel()
      grace = nil
    } else if grace == nil {
      waitOutAbsence()
    }
    if current != nil || service.state != .ready {
      replugGrace?.cancel()
      replugGrace = nil
    } else if replugGrace == nil, selection.chosenAddress != nil {
      replugGrace = QueueTimer(after: timing.absenceGrace) { [weak self] in
        self?.replugGrace = nil
        self?.selection.forgetChoice()
        self?.update()
      }
    }
  }

  private func waitOutAbsence() {
    grace = QueueTimer(after: timing.absenceGrace) { [weak self] in
      guard let self else { return }
      grace = nil
      let before = (path, machine.state)
      machine.graceEnded()
      tell(before)
    }
  }

  // MARK: Power

  private func seeToPower() {
    guard powersOn, let current else {
      poweredPath = nil
      powerRetry?.cancel()
      return
    }
    if wasBlocked && !current.isBlocked { poweredPath = nil }
    wasBlocked = current.isBlocked
    if current.isPowered { powerError = nil }
    guard poweredPath != current.path else { return }
    poweredPath = current.path
    powerAttempts = 0
    if !current.isPowered && !current.isBlocked { powerOn() }
  }

  private func powerOn() {
    guard let current, !current.isPowered else { return }
    powerAttempts += 1
    service.call(
      current.path, Bus.properties, Bus.set,
      [.string(BlueZ.Adapter.interface), .string(BlueZ.Adapter.powered), .variant(.boolean(true))]
    ) { [weak self] result in
      guard let self, case .failure(let error) = result else { return }
      powerError = error
      Log.error("adapter", "\(current.name) could not be switched on: \(error)")
      guard powerAttempts < 3, error.name != BlueZ.ErrorName.blocked else { return }
      powerRetry = QueueTimer(after: timing.scanBusyDelay) { [weak self] in self?.powerOn() }
    }
  }

  // MARK: For people

  /// What stands in the way of using the radio, and what to do about it.
  var problem: String? {
    switch service.state {
    case .noBus(let error):
      "The D-Bus system bus at \(service.busAddress) cannot be reached (\(error)): start dbus, or name another bus in DBUS_SYSTEM_BUS_ADDRESS."
    case .noOwner: "bluetoothd is not running: start it, for example with `systemctl start bluetooth`."
    case .denied:
      "D-Bus does not let this user talk to bluetoothd: add the user to the group `bluetooth`, or run as root."
    case .loading: "bluetoothd is starting."
    case .ready: current.map(problem(of:)) ?? missingAdapter
    }
  }

  private func problem(of adapter: Adapter1) -> String? {
    if adapter.isPowered { return nil }
    if adapter.isBlocked || powerError?.name == BlueZ.ErrorName.blocked || RFKill.isBlocked(adapter.name) {
      return "\(adapter.name) is blocked by rfkill: run `rfkill unblock bluetooth`."
    }
    if let powerError { return "\(adapter.name) is off and could not be switched on: \(powerError)." }
    return "\(adapter.name) is off: run `bluetoothctl power on`, or start with --power-on."
  }

  private var missingAdapter: String {
    let present = service.cache.adapters.map { "\($0.name) (\($0.address ?? "?"))" }.sorted()
    let list = present.joined(separator: ", ")
    switch selection.selector {
    case .automatic where present.isEmpty: return "There is no Bluetooth adapter: plug one in."
    case .automatic: return "No adapter here can be a Bluetooth LE central: \(list)."
    case .name(let wanted), .address(let wanted):
      return "The adapter \(wanted) is not there; " + (present.isEmpty ? "no other is either." : "there is \(list).")
    }
  }
}
