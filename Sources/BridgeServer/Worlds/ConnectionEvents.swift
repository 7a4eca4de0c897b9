import BridgeIO
import BridgeProtocol
import Radio

/// Tells clients that registered for it of the host's connections, whoever makes them.
///
/// Which services a device has may become known only some time after it was connected: then those are told who had not been.
@BridgeQueue
final class ConnectionEvents {
  private unowned let server: Server
  private unowned let world: World
  /// What peripherals advertise, noted while a client wants to hear of connections by service.
  private var advertised: [PeripheralIdentifier: [BluetoothUUID]] = [:]
  /// The numbers of the sessions that were told of a connection that stands.
  private var told: [PeripheralIdentifier: Set<Int>] = [:]
  private static let advertisedLimit = 4096

  init(server: Server, world: World) {
    self.server = server
    self.world = world
  }

  func received(_ advertisement: Advertisement) {
    guard server.hasConnectionEventFilters, !advertisement.data.serviceUUIDs.isEmpty else { return }
    if advertised.count >= Self.advertisedLimit { advertised = [:] }
    advertised[advertisement.peripheral] = advertisement.data.serviceUUIDs
  }

  func connected(_ peripheral: PeripheralIdentifier) {
    told[peripheral] = []
    tellConnected(peripheral)
  }

  /// Of a device that may be connected.
  func servicesKnown(of peripheral: PeripheralIdentifier) { if told[peripheral] != nil { tellConnected(peripheral) } }

  func disconnected(_ peripheral: PeripheralIdentifier) {
    let told = told.removeValue(forKey: peripheral) ?? []
    guard mayTell else { return }
    let services = services(of: peripheral)
    for session in world.sessions {
      guard let filter = session.connectionEvents else { continue }
      guard told.contains(session.number) || filter.admits(peripheral, services: services) else { continue }
      tell(session, of: peripheral, false)
    }
  }

  /// The radio has lost them all.
  func forgetConnections() { told = [:] }

  private var mayTell: Bool { server.hasConnectionEventFilters && server.switches.tellsConnectionEvents }

  private func tellConnected(_ peripheral: PeripheralIdentifier) {
    guard mayTell else { return }
    let services = services(of: peripheral)
    for session in world.sessions where told[peripheral]?.contains(session.number) == false {
      guard let filter = session.connectionEvents else { continue }
      guard filter.admits(peripheral, services: services) || hasService(peripheral, filter) else { continue }
      told[peripheral]?.insert(session.number)
      tell(session, of: peripheral, true)
    }
  }

  private func tell(_ session: Session, of peripheral: PeripheralIdentifier, _ isConnected: Bool) {
    let name = world.radio.name(of: peripheral)
    session.send(.connectionEvent(ConnectionEvent(id: peripheral, isConnected: isConnected, name: name)))
  }

  /// As far as advertisements and clients have made them known.
  private func services(of peripheral: PeripheralIdentifier) -> Set<BluetoothUUID> {
    var services = Set(advertised[peripheral] ?? [])
    for service in world.shares[peripheral]?.table?.services ?? [] { services.insert(service.attribute.uuid) }
    return services
  }

  /// As far as the radio knows.
  private func hasService(_ peripheral: PeripheralIdentifier, _ filter: ConnectionEventFilter) -> Bool {
    guard !filter.services.isEmpty else { return false }
    return world.radio.connectedPeripherals(with: Array(filter.services)).contains(peripheral)
  }
}
