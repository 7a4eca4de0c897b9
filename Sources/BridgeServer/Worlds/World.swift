import BridgeIO
import BridgeProtocol
import Radio
import RadioFaults

/// One radio, and who wants what of it: the links that are shared, the scans, the way of its events.
@BridgeQueue
final class World {
  /// With the faults that are set on the service.
  let radio: any Radio
  /// The same radio if its peripherals are a configuration's.
  let mock: (any MockRadio)?
  /// What the configuration of its peripherals says shall go wrong.
  let configuredFaults: FaultPlan?
  let isVirtual: Bool
  let isReplay: Bool
  let shares: PeripheralShares
  let scans: ScanCoordinator
  private unowned let server: Server
  private lazy var router = EventRouter(server: server, world: self)

  init(_ radio: any Radio, mock: (any MockRadio)? = nil, server: Server) {
    let radio = FaultRadio(radio, plan: server.faults)
    self.radio = radio
    configuredFaults = radio.ownPlan
    self.mock = mock
    self.server = server
    isVirtual = radio.description.kind == "mock"
    isReplay = radio.description.kind == "replay"
    shares = PeripheralShares(radio: radio, activity: server.activity)
    scans = ScanCoordinator(radio: radio)
  }

  var isOn: Bool { radio.state == .poweredOn }

  /// Who sees this world.
  var sessions: [Session] { server.sessions.filter { $0.isAttached(to: self) } }

  /// Whether a connect to the peripheral belongs here.
  func knows(_ peripheral: PeripheralIdentifier) -> Bool { shares[peripheral] != nil || radio.knows(peripheral) }

  func start() {
    radio.observer = router
    radio.start()
  }

  /// Ends what is left of it; nobody may be attached any more.
  func stop(completion: @escaping @BridgeQueue () -> Void) {
    endConnections()
    server.activity.forget(radio)
    radio.observer = nil
    radio.stop { [self] in
      // The radio may hold nothing of it but this closure.
      withExtendedLifetime(self) { completion() }
    }
  }

  /// The radio is off: its links are no more, and what wanted one has failed.
  func radioLost() {
    scans.radioLost()
    endConnections()
  }

  private func endConnections() {
    for connection in shares.radioLost(.radioOff) { connection.session.connectionLost(connection, .radioOff) }
  }
}

@BridgeQueue
extension [World] {
  /// What clients are told: on when one is, else what the first says.
  var state: AdapterState {
    if contains(where: { $0.isOn }) { return .poweredOn }
    return first?.radio.state ?? .poweredOff
  }

  var servedMode: ServedMode {
    if contains(where: { $0.isReplay }) { return .replay }
    return switch (contains { !$0.isVirtual }, contains { $0.isVirtual }) {
    case (true, true): .both
    case (true, false): .passthrough
    case (false, true): .mock
    case (false, false): .off
    }
  }

  func contains(_ world: World) -> Bool { contains { $0 === world } }
}
