import BridgeIO
import BridgeProtocol

/// The records of the peripherals of one adapter, by identifier, with or without an object in bluetoothd.
@BridgeQueue
final class DeviceTable {
  private(set) var records: [PeripheralIdentifier: BlueZDevice] = [:]
  /// Objects that show a device which another object shows already; bluetoothd merges such twins sooner or later.
  private var twins: [BluetoothAddress: Device1] = [:]

  private let identities: IdentityTable
  private unowned let host: any DeviceHost
  private var sweepAt = DeviceTable.quietCount
  private static let quietCount = 2048

  init(identities: IdentityTable, host: any DeviceHost) {
    self.identities = identities
    self.host = host
  }

  subscript(identifier: PeripheralIdentifier) -> BlueZDevice? { records[identifier] }

  // MARK: Objects

  /// Gives the object's record, an old one if the device was met before; nil for a twin or a device without address.
  func attach(_ object: Device1, settles: Bool) -> BlueZDevice? {
    guard let address = object.address else { return nil }
    let record = record(of: address)
    guard record.object == nil else {
      twins[address] = object
      return nil
    }
    record.attach(object, settles: settles)
    return record
  }

  /// The object is gone; a twin takes its place.
  func detach(_ object: Device1) {
    guard let record = object.record else {
      if let address = object.address, twins[address] === object { twins[address] = nil }
      return
    }
    record.detach()
    if let twin = twins.removeValue(forKey: record.address) { record.attach(twin, settles: false) }
    if records.count > sweepAt { sweep() }
  }

  /// All objects are gone, and with them what they claimed.
  func detachAll() {
    twins = [:]
    for record in records.values where record.object != nil { record.detach() }
  }

  /// The address of a live object is another: pairing has revealed whose private address it was.
  func addressChanged(of object: Device1) {
    guard let record = object.record, let address = object.address, address != record.address else { return }
    identities.resolve(record.identifier, to: address)
    record.addressChanged(to: address)
  }

  // MARK: Records

  /// The record of a device that was met in this life or in an earlier one.
  func record(remembered identifier: PeripheralIdentifier) -> BlueZDevice? {
    if let record = records[identifier] { return record }
    guard let entry = identities.entry(of: identifier) else { return nil }
    return makeRecord(identifier, entry.address, entry.name)
  }

  private func record(of address: BluetoothAddress) -> BlueZDevice {
    let identifier = identities.identifier(of: address)
    return records[identifier]
      ?? makeRecord(identifier, address, identities.entry(of: identifier)?.name)
  }

  private func makeRecord(
    _ identifier: PeripheralIdentifier, _ address: BluetoothAddress, _ name: String?
  ) -> BlueZDevice {
    let record = BlueZDevice(identifier: identifier, address: address, name: name, host: host)
    records[identifier] = record
    return record
  }

  /// Forgets devices that are not shown and that nobody uses: private addresses come and go without end. The identity
  /// table still knows those that applications have heard of.
  private func sweep() {
    records = records.filter { $0.value.object != nil || $0.value.isInUse }
    sweepAt = max(Self.quietCount, records.count * 2)
  }
}
