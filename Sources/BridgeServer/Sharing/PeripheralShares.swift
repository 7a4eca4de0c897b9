import BridgeIO
import BridgeProtocol
import Radio

/// Who holds which peripheral of one radio: turns the sessions' wishes into one wish to the radio, and its answers into theirs.
@BridgeQueue
final class PeripheralShares {
  private let radio: any Radio
  private let activity: ActivityLog
  private(set) var peripherals: [PeripheralIdentifier: SharedPeripheral] = [:]

  init(radio: any Radio, activity: ActivityLog) {
    self.radio = radio
    self.activity = activity
  }

  subscript(id: PeripheralIdentifier) -> SharedPeripheral? { peripherals[id] }

  // MARK: Wishes

  /// A new hold of the session's, connected already if the link stands.
  func connect(_ id: PeripheralIdentifier, for session: Session) -> Connection {
    let peripheral = peripheral(id)
    let connection = Connection(session: session, peripheral: peripheral)
    peripheral.add(connection)
    switch peripheral.link {
    case .none:
      peripheral.link = .connecting
      radio.connect(id)
    case .connecting, .disconnecting: break
    case .connected: connection.state = .connected
    }
    return connection
  }

  /// Takes in a hold that another world had.
  func adopt(_ connection: Connection) {
    let peripheral = peripheral(connection.id)
    connection.peripheral = peripheral
    peripheral.add(connection)
    switch peripheral.link {
    case .none:
      peripheral.link = .connecting
      radio.connect(peripheral.id)
    case .connecting, .disconnecting: break
    case .connected where connection.state == .connecting:
      connection.state = .connected
      connection.session.tellConnected(connection)
    case .connected: break
    }
  }

  private func peripheral(_ id: PeripheralIdentifier) -> SharedPeripheral {
    if let peripheral = peripherals[id] { return peripheral }
    let peripheral = SharedPeripheral(id: id, radio: radio, shares: self, activity: activity.record(of: id, at: radio))
    peripherals[id] = peripheral
    return peripheral
  }

  /// Ends a hold; the link goes with the last one.
  func release(_ connection: Connection, _ error: BluetoothError) {
    connection.end(error, isAskedFor: true)
    leave(connection)
  }

  /// Takes a hold out without ending it.
  func leave(_ connection: Connection) {
    let peripheral = connection.peripheral
    peripheral.remove(connection)
    guard peripheral.connections.isEmpty else { return }
    switch peripheral.link {
    case .none: peripherals[peripheral.id] = nil
    case .disconnecting: break
    case .connecting, .connected:
      peripheral.link = .disconnecting
      radio.disconnect(peripheral.id)
    }
  }

  // MARK: Answers

  /// The holds that the link has connected; not those that came connected from another world.
  func didConnect(_ id: PeripheralIdentifier) -> [Connection] {
    guard let peripheral = peripherals[id], peripheral.link == .connecting else { return [] }
    peripheral.link = .connected
    let connected = peripheral.connections.filter { $0.state == .connecting }
    for connection in connected { connection.state = .connected }
    peripheral.requestTableIfAwaited()
    return connected
  }

  /// The holds that have failed and are ended.
  func didFailToConnect(_ id: PeripheralIdentifier, _ error: BluetoothError) -> [Connection] {
    guard let peripheral = peripherals[id], peripheral.link == .connecting else { return [] }
    return endAll(of: peripheral, error)
  }

  /// The holds that are ended by it.
  func didDisconnect(_ id: PeripheralIdentifier, _ error: BluetoothError?) -> [Connection] {
    guard let peripheral = peripherals[id] else { return [] }
    guard peripheral.link == .disconnecting else { return endAll(of: peripheral, error ?? .peripheralDisconnected) }
    // What we had asked for; those who came meanwhile want a new link.
    let waiting = peripheral.connections
    peripheral.reset()
    if waiting.isEmpty {
      peripherals[id] = nil
    } else {
      for connection in waiting { peripheral.add(connection) }
      peripheral.link = .connecting
      radio.connect(id)
    }
    return []
  }

  /// The radio is off, and says nothing more of its links.
  func radioLost(_ error: BluetoothError) -> [Connection] {
    peripherals.values.flatMap { endAll(of: $0, error) }
  }

  private func endAll(of peripheral: SharedPeripheral, _ error: BluetoothError) -> [Connection] {
    let ended = peripheral.connections
    peripheral.failSubscriptions(error)
    for connection in ended { connection.end(error, isAskedFor: false) }
    peripheral.reset()
    peripherals[peripheral.id] = nil
    return ended
  }
}
