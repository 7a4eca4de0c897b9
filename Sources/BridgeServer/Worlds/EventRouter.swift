import BridgeIO
import BridgeProtocol
import Radio

/// Brings each event of a world's radio to the sessions that it concerns.
@BridgeQueue
final class EventRouter: RadioObserver {
  private unowned let server: Server
  private unowned let world: World
  private let connectionEvents: ConnectionEvents
  private var shares: PeripheralShares { world.shares }

  init(server: Server, world: World) {
    self.server = server
    self.world = world
    connectionEvents = ConnectionEvents(server: server, world: world)
  }

  func radioDidUpdateState(_ radio: any Radio) {
    if radio.state != .poweredOn { connectionEvents.forgetConnections() }
    server.radioStateChanged(of: world)
  }

  // MARK: Scanning

  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {
    server.chooser?.heard(advertisement.peripheral, in: world)
    world.scans.received(advertisement)
    connectionEvents.received(advertisement)
  }

  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {
    let message = ServerMessage.didUpdateName(DidUpdateName(id: peripheral, name: name))
    for session in world.sessions
    where session.connections[peripheral] != nil || world.scans.hasReported(peripheral, to: session) {
      session.send(message)
    }
  }

  // MARK: Links

  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) {
    for connection in shares.didConnect(peripheral) { connection.session.tellConnected(connection) }
  }

  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    for connection in shares.didFailToConnect(peripheral, error) {
      connection.session.connectionLost(connection, error)
    }
  }

  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    for connection in shares.didDisconnect(peripheral, error) {
      connection.session.connectionEnded(connection, error)
    }
  }

  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {
    if isConnected { connectionEvents.connected(peripheral) } else { connectionEvents.disconnected(peripheral) }
  }

  func radio(_ radio: any Radio, didLearnServicesOf peripheral: PeripheralIdentifier) {
    connectionEvents.servicesKnown(of: peripheral)
  }

  // MARK: GATT

  func radio(
    _ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier
  ) {
    guard let shared = shares[peripheral] else { return }
    let ids = shared.modifyServices(removed: removed)
    let message = ServerMessage.didModifyServices(DidModifyServices(id: peripheral, serviceIds: ids))
    for connection in shared.connections where connection.state == .connected { connection.session.send(message) }
  }

  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) {
    guard let shared = shares[peripheral], let subscription = shared.subscriptions[characteristic] else { return }
    server.activity.addNotification(value.count, to: shared.activity)
    let characteristic = subscription.characteristic
    // One receiver is the rule; for more the line is made once.
    var line: [UInt8] = []
    subscription.forEachReceiver { subscriber in
      let session = subscriber.connection.session
      if let id = subscriber.otherID {
        session.sendValue(value, of: characteristic, as: id, peripheral)
      } else if subscription.subscribers.count <= 1 {
        session.channel.send { characteristic.lines.appendValue(value, to: &$0) }
      } else {
        if line.isEmpty { characteristic.lines.appendValue(value, to: &line) }
        session.channel.send(line)
      }
    }
  }

  /// At the pace of whoever reads fastest: one that does not read must not keep the values from the others.
  func radio(_ radio: any Radio, canTakeNotificationsOf peripheral: PeripheralIdentifier) -> Bool {
    guard let shared = shares[peripheral] else { return true }
    var isCongested = false
    for subscription in shared.subscriptions.values {
      for subscriber in subscription.subscribers {
        guard subscriber.connection.session.channel.isCongested else { return true }
        isCongested = true
      }
    }
    return !isCongested
  }

  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) {
    guard let shared = shares[peripheral], let table = shared.table else { return }
    for connection in shared.takeTurns() { connection.drain(.success(table)) }
  }

  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {
    guard let shared = shares[peripheral] else { return }
    for connection in shared.connections where connection.state == .connected {
      connection.session.tellWriteLength(connection)
    }
  }
}
