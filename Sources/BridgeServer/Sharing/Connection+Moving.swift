import BridgeIO
import BridgeProtocol
import Radio

extension Connection {
  /// The session sees the peripheral in another world from now on. The hold goes on: the link there is made without a word,
  /// and what the client knows of attributes and has subscribed to holds as far as they are the same.
  func move(to shares: PeripheralShares) {
    let old = peripheral
    let oldDatabase = old.table?.database
    let subscriptions = old.subscriptions.values.filter { $0.isSubscribed(self) }.map(\.characteristic)
    closeChannels(.peripheralDisconnected)
    old.shares.leave(self)
    shares.adopt(self)
    guard state == .connected, let oldDatabase else { return }
    requests.submit { [self] table in
      if let table = try? table.get() { carryOver(oldDatabase, subscriptions, to: table) }
      return true
    }
    // Requests that waited for the device as it was do not get a sign from this one.
    if let table = peripheral.table { drain(.success(table)) }
  }

  private func carryOver(
    _ old: GATTDatabase, _ subscriptions: [AttributeTable.Characteristic], to table: AttributeTable
  ) {
    let gone = old.services.filter { !table.database.services.contains($0) }
    if !gone.isEmpty {
      let ids = gone.map { AttributeID(id, .init(uuid: $0.uuid, handle: $0.handle)).text }
      session.send(.didModifyServices(DidModifyServices(id: id, serviceIds: ids)))
    }
    for subscribed in subscriptions {
      guard let same = table.characteristic(subscribed.id), same.attribute == subscribed.attribute else { continue }
      peripheral.subscription(to: same).set(true, for: Subscription.Subscriber(connection: self)) { (_, _) in }
    }
  }
}
