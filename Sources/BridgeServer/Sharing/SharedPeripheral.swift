import BridgeIO
import BridgeProtocol
import Radio

/// A peripheral that sessions hold or want: one link of the radio for all of them, one attribute table, one
/// subscription for each characteristic.
@BridgeQueue
final class SharedPeripheral {
  enum Link {
    /// Nothing asked of the radio, or it has answered.
    case none
    case connecting
    case connected
    /// Let go; those who want it meanwhile wait until the radio has.
    case disconnecting
  }

  let id: PeripheralIdentifier
  let radio: any Radio
  unowned let shares: PeripheralShares
  let activity: ActivityRecord
  var link = Link.none
  private(set) var connections: [Connection] = []
  private(set) var table: AttributeTable?
  private var isDiscovering = false
  /// Grows when the table is forgotten: a discovery that began before counts no more.
  private var tableGeneration = 0
  private(set) var subscriptions: [AttributeHandle: Subscription] = [:]

  init(id: PeripheralIdentifier, radio: any Radio, shares: PeripheralShares, activity: ActivityRecord) {
    self.id = id
    self.radio = radio
    self.shares = shares
    self.activity = activity
  }

  // MARK: Holders

  func add(_ connection: Connection) { connections.append(connection) }

  /// Takes a holder out, and with it its subscriptions.
  func remove(_ connection: Connection) {
    connections.removeAll { $0 === connection }
    for subscription in subscriptions.values { subscription.remove(connection) }
  }

  /// The holders, another one in front each time, so that room goes round.
  func takeTurns() -> [Connection] {
    if connections.count > 1 { connections.append(connections.removeFirst()) }
    return connections
  }

  /// The link is gone: answers subscriptions that wait.
  func failSubscriptions(_ error: BluetoothError) {
    for subscription in subscriptions.values { subscription.fail(error) }
  }

  /// The link is gone, and what was learnt over it.
  func reset() {
    link = .none
    connections = []
    subscriptions = [:]
    forgetTable()
  }

  // MARK: Attributes

  /// Wants the attribute table; requests that wait for it are run when the radio has it.
  func requestTable() {
    guard table == nil, !isDiscovering, link == .connected else { return }
    isDiscovering = true
    let generation = tableGeneration
    radio.discoverServices(of: id) { [self] result in
      guard generation == tableGeneration else { return }
      isDiscovering = false
      let result = result.map { AttributeTable($0, of: id) }
      table = try? result.get()
      for connection in connections where connection.state == .connected { connection.drain(result) }
    }
  }

  func requestTableIfAwaited() {
    if connections.contains(where: { !$0.requests.isEmpty }) { requestTable() }
  }

  private func forgetTable() {
    table = nil
    isDiscovering = false
    tableGeneration += 1
  }

  /// The peripheral changed its table.
  ///
  /// - Returns: the ids of the services that are no more.
  func modifyServices(removed: [AttributeHandle]) -> [String] {
    let services = removed.compactMap { table?.service(handle: $0) }
    for characteristic in services.flatMap(\.characteristics) {
      subscriptions.removeValue(forKey: characteristic.attribute.handle)?.drop()
    }
    forgetTable()
    requestTableIfAwaited()
    return services.map(\.id)
  }

  // MARK: Subscriptions

  func subscription(to characteristic: AttributeTable.Characteristic) -> Subscription {
    let handle = characteristic.attribute.handle
    if let subscription = subscriptions[handle] { return subscription }
    let subscription = Subscription(to: characteristic, of: self)
    subscriptions[handle] = subscription
    return subscription
  }

  func forget(_ subscription: Subscription) {
    let handle = subscription.characteristic.attribute.handle
    if subscriptions[handle] === subscription { subscriptions[handle] = nil }
  }
}
