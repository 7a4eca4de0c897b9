import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// Gives a client that comes back what it held, and tells what that is; an answer comes in any case, for it waits.
  func restore() {
    guard features.contains(.restore), hello?.restoreIdentifier != nil else { return }
    var state = DidRestoreState(peripheralIds: [])
    // Who greets late, and holds something already, would lose one or the other.
    let isNew = connections.isEmpty && scan == nil && hosting == nil
    if isNew, let former = server.restorations.take(for: self) {
      moveToDevice(of: former)
      takeOver(former, &state)
      former.releaseKept()
    }
    send(.didRestoreState(state))
    for connection in connections.values where connection.state == .connected { tellWriteLength(connection) }
  }

  private func takeOver(_ former: Session, _ state: inout DidRestoreState) {
    for old in former.connections.values.sorted(by: { $0.id.text < $1.id.text }) {
      let new = old.peripheral.shares.connect(old.id, for: self)
      connections[old.id] = new
      if new.state == .connected { takeOverSubscriptions(of: old, new) }
      state.peripheralIds.append(old.id)
      state.peripherals.append(restored(new, subscribedAs: old))
    }
    guard let scan = former.restoredScan else { return }
    startScan(scan)
    state.isScanning = true
    state.scanServices = scan.services.map(\.uuid)
    state.allowDuplicates = scan.allowDuplicates
    state.solicitedServices = scan.solicitedServices.map(\.uuid)
  }

  private func takeOverSubscriptions(of old: Connection, _ new: Connection) {
    for subscription in new.peripheral.subscriptions.values where subscription.isSubscribed(old) {
      subscription.set(true, for: Subscription.Subscriber(connection: new)) { (_, _) in }
    }
  }

  private func restored(_ connection: Connection, subscribedAs old: Connection) -> RestoredPeripheral {
    let peripheral = connection.peripheral
    let services = connection.state == .connected ? peripheral.table?.services ?? [] : []
    return RestoredPeripheral(
      id: connection.id, name: connection.radio.name(of: connection.id) ?? "",
      isConnected: connection.state == .connected,
      services: services.filter(\.attribute.isPrimary).map { service in
        RestoredService(
          service: service.discovered,
          characteristics: service.characteristics.map { characteristic in
            let subscription = peripheral.subscriptions[characteristic.attribute.handle]
            return RestoredCharacteristic(
              characteristic: characteristic.discovered, isNotifying: subscription?.isSubscribed(old) ?? false)
          })
      })
  }
}
