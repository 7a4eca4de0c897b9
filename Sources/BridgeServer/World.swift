import BridgeIO
import BridgeProtocol
import Radio

/// One radio, and who wants what of it: the links that are shared, the scans, the way of its events.
@BridgeQueue
final class World {
  let radio: any Radio
  let shares: PeripheralShares
  let scans: ScanCoordinator
  private unowned let server: Server
  private lazy var router = EventRouter(server: server, world: self)

  init(_ radio: any Radio, server: Server) {
    self.radio = radio
    self.server = server
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

  /// The radio is off: its links are no more, and what wanted one has failed.
  func radioLost() {
    scans.radioLost()
    for connection in shares.radioLost(.radioOff) {
      let session = connection.session
      if connection.hadLink {
        session.connectionEnded(connection, .peripheralDisconnected)
      } else {
        session.connectionFailed(connection, .radioOff)
      }
    }
  }
}

@BridgeQueue
extension [World] {
  /// What clients are told: on when one is, else what the first says.
  var state: AdapterState {
    if contains(where: { $0.isOn }) { return .poweredOn }
    return first?.radio.state ?? .poweredOff
  }
}
