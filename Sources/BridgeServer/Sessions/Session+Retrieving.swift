import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// What the host knows, or is connected to, without a scan.
  func retrieve(_ request: RetrievePeripherals) {
    var found: [RetrievedPeripheral] = []
    var seen: Set<PeripheralIdentifier> = []
    func add(_ id: PeripheralIdentifier, in world: World) {
      if seen.insert(id).inserted { found.append(RetrievedPeripheral(id: id, name: world.radio.name(of: id) ?? "")) }
    }
    for id in request.peripheralIds {
      if let world = worlds.first(where: { $0.knows(id) }) { add(id, in: world) }
    }
    let services = request.connectedWithServices
    for world in worlds where !services.isEmpty && world.isOn {
      let connected = world.radio.connectedPeripherals(with: services)
      // The radio has them in no order.
      for id in connected.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) { add(id, in: world) }
    }
    send(.didRetrievePeripherals(DidRetrievePeripherals(requestId: request.requestId, peripherals: found)))
  }
}
