import BridgeIO
public import BridgeProtocol
import DBus
import Radio

// What bluetoothd says of devices, and what devices say.

extension BlueZRadio: BlueZSignalObserver {
  func adaptersDidChange() { adapter.update() }

  func deviceAppeared(_ object: Device1, changes: Device1.Changes) {
    guard let path = adapter.path, object.path.hasPrefix(path + "/") else { return }
    if object.record == nil { _ = devices.attach(object, settles: service.startedAnew) }
    // The first advertisement of a device comes with its announcement, and not as a change.
    if changes.contains(.rssi), let record = object.record { advertised(record, object, changes) }
  }

  func deviceVanished(_ object: Device1) { devices.detach(object) }

  func device(_ object: Device1, didChange changes: Device1.Changes) {
    guard let record = object.record else { return }
    if changes.contains(.rssi) { advertised(record, object, changes) }
    guard !changes.isDisjoint(with: Self.rareChanges) else { return }
    if changes.contains(.address) { devices.addressChanged(of: object) }
    if record.advertisement.changed(object, changes) { didRename(record) }
    record.linkChanged(changes)
    if changes.contains(.servicesResolved), object.servicesResolved {
      observer?.radio(self, didLearnServicesOf: record.identifier)
    }
  }

  private static let rareChanges: Device1.Changes = [.address, .name, .connected, .servicesResolved]

  func device(_ object: Device1, willDisconnectFor reason: String) {
    object.record?.linkWillEnd(ErrorMapping.disconnection(reason: reason))
  }

  func attributesChanged(of object: Device1, added: [String], removed: [String]) {
    object.record?.gatt?.objectsChanged(added: added, removed: removed)
  }

  func attribute(_ path: String, of object: Device1, didChange interface: String, properties: [String: Value]) {
    object.record?.gatt?.propertiesChanged(path: path, interface: interface, changed: properties)
  }
}

extension BlueZRadio {
  public func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier] {
    let wanted = Set(services)
    return devices.records.values.filter { record in
      guard record.isConnected, let object = record.object else { return false }
      return !wanted.isDisjoint(with: object.uuids)
    }.map(\.identifier)
  }
}

extension BlueZRadio: DeviceHost {
  func report(_ event: LinkEvent, of device: BlueZDevice, isAnswer: Bool) {
    report(event, of: device.identifier, isAnswer: isAnswer)
  }

  var hasPrivatePeers: Bool { devices.records.values.contains { $0.address.isPrivate && $0.isInUse } }

  func didRename(_ device: BlueZDevice) {
    remember(device)
    tellName(of: device)
  }

  func linkStands(_ device: BlueZDevice) { linkEndReasons?.note(device.address) }

  func device(_ device: BlueZDevice, didNotify value: [UInt8], characteristic: AttributeHandle) {
    observer?.radio(self, didNotify: value, characteristic: characteristic, of: device.identifier)
  }

  func device(_ device: BlueZDevice, didModifyServices removed: [AttributeHandle]) {
    observer?.radio(self, didModifyServices: removed, of: device.identifier)
  }

  func deviceIsReadyToWriteWithoutResponse(_ device: BlueZDevice) {
    observer?.radio(self, isReadyToWriteWithoutResponse: device.identifier)
  }

  func deviceDidUpdateMaximumWriteLength(_ device: BlueZDevice) {
    observer?.radio(self, didUpdateMaximumWriteLengthOf: device.identifier)
  }
}
