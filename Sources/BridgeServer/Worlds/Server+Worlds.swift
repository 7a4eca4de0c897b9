import BridgeIO
import BridgeProtocol
import Radio

extension Server {
  /// Serves these worlds from now on. Who can stay stays, with what it has in worlds that stay.
  func serve(_ new: [World]) {
    let old = worlds
    guard old.count != new.count || zip(old, new).contains(where: { $0 !== $1 }) else { return }
    // ImpossiBLE's clients know no other sign of a change of world than a closed connection.
    for session in sessions where !session.staysWithoutRadio { session.close("other radios are served") }
    for session in sessions { session.removeOwnDevices() }
    let wasOn = state == .poweredOn
    for world in old where !new.contains(world) {
      for session in sessions where session.scan != nil { world.scans.stop(session) }
      world.radioLost()
    }
    worlds = new
    for world in new where !old.contains(world) {
      for session in sessions where session.scan != nil { world.scans.start(session) }
    }
    if wasOn, state == .poweredOn, !new.contains(where: { old.contains($0) }) {
      // Nothing that clients know is there any more, which Apple's centrals understand by this.
      tell(.resetting)
    }
    updateState()
  }

  /// Opens or closes the door, and tells who wants to know.
  func updateState() {
    let state = state
    if state == .poweredOn { openDoor() } else { closeDoor() }
    tell(state)
    hosting?.update()
  }

  func tell(_ state: AdapterState) {
    let mode = worlds.servedMode
    let news = DidUpdateState(state: state, mode: toldMode == mode ? nil : mode.rawValue)
    guard state != toldState || news.mode != nil else { return }
    toldState = state
    toldMode = mode
    for session in sessions where session.features.contains(.state) { session.send(.state(news)) }
  }
}
