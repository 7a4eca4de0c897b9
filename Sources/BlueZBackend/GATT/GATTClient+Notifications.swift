import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// Subscriptions and values. bluetoothd announces a value for each notification, each read by anyone, and as often as
/// there are programs subscribed; what is for us is decided here.
extension GATTClient {
  /// So many values are kept while `StartNotify` is unanswered.
  private static let heldLimit = 4096

  /// PropertiesChanged of a characteristic had a value. `GATTPaths.deliverValue` is the shorter way to the same end.
  func characteristicValueChanged(path: String, value: [UInt8]) {
    guard endError == nil, let attribute = table?.byPath[path] else { return }
    valueArrived(value, of: attribute)
  }

  func valueArrived(_ value: [UInt8], of attribute: Attribute) {
    switch attribute.subscription {
    case .off: break
    case .starting:
      if attribute.held.count >= Self.heldLimit { attribute.held.removeFirst() }
      attribute.held.append(value)
    case .on:
      guard attribute.isBeingRead else { return notify(value, attribute) }
      // Only the last value before the reply can be the read's own: what came before it is a notification.
      if let earlier = attribute.possibleEcho { notify(earlier, attribute) }
      attribute.possibleEcho = value
    }
  }

  private func notify(_ value: [UInt8], _ attribute: Attribute) {
    guard endError == nil else { return }
    owner?.gattClient(self, didNotify: value, characteristic: attribute.handle)
  }

  /// The read is answered: the last value announced was its own if equal to the result, else a notification.
  func settleEcho(of attribute: Attribute, _ result: Result<[UInt8], BluetoothError>) {
    guard attribute.isBeingRead else { return }
    attribute.isBeingRead = false
    guard let last = attribute.possibleEcho else { return }
    attribute.possibleEcho = nil
    if case .success(last) = result { return }
    notify(last, attribute)
  }

  // MARK: Subscriptions

  /// - Returns: whether there is anything to send.
  func willChangeSubscription(of attribute: Attribute, to enabled: Bool) -> Bool {
    guard enabled != (attribute.subscription == .on) else { return false }
    if enabled {
      attribute.subscription = .starting
      paths.addRoute(from: attribute, to: self)
    }
    return true
  }

  func didChangeSubscription(of attribute: Attribute, to enabled: Bool, succeeded: Bool) {
    let isOn = succeeded ? enabled : attribute.subscription == .on
    attribute.subscription = isOn ? .on : .off
    if !isOn {
      paths.removeRoute(from: attribute)
      attribute.held = []
    }
  }

  /// After the new state is told.
  func deliverHeld(of attribute: Attribute) {
    let held = attribute.held
    attribute.held = []
    for value in held { notify(value, attribute) }
  }

  func endSubscription(of attribute: Attribute) {
    attribute.subscription = .off
    attribute.held = []
    attribute.isBeingRead = false
    attribute.possibleEcho = nil
    paths.removeRoute(from: attribute)
  }

  // MARK: Connection

  /// Holds the notify sessions and hears nothing: values come on the radio's connection.
  func sessionConnection() throws(DBusError) -> Connection {
    if let notifyConnection { return notifyConnection }
    let connection = try Connection(address: busAddress)
    connection.onDisconnect = { [weak self] in self?.sessionsLost() }
    notifyConnection = connection
    return connection
  }

  /// The bus closed our connection, and bluetoothd has ended its sessions: makes new ones for what is subscribed.
  private func sessionsLost() {
    notifyConnection = nil
    guard endError == nil, let table else { return }
    for attribute in table.attributes.values where attribute.subscription == .on {
      attribute.subscription = .off
      let path = attribute.path
      submit(
        GATTRequest(
          .notify(true), attribute,
          .done { result in
            if case .failure(let error) = result { Log.error("gatt", "\(path): subscription lost: \(error.text)") }
          }))
    }
  }
}
