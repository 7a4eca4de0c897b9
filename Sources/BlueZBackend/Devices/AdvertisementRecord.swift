import BridgeIO
import BridgeProtocol

/// What one device has been heard to advertise, put together from the properties that bluetoothd merges it into.
@BridgeQueue
struct AdvertisementRecord {
  private(set) var data = AdvertisementData(isConnectable: true)
  /// CoreBluetooth's `name`: what the device calls itself in its GAP service, once that was read, else as advertised.
  private(set) var name: String?
  private(set) var revision: UInt64 = 0

  private var gapName: String?
  private var advertisedUUIDs: [BluetoothUUID] = []
  /// UUIDs that bluetoothd lists only because service data came under them.
  private var serviceDataUUIDs: Set<BluetoothUUID> = []
  /// The services were resolved in this daemon's life: `UUIDs` says no longer what is advertised.
  private var wasResolved = false
  private var wasConnected = false

  init(name: String? = nil) { self.name = name }

  /// Grows with every change of any record, so that no record ever shows a number of its past again.
  private static var lastRevision: UInt64 = 0

  // MARK: Input

  /// An advertisement: `changes` contains `rssi`. Cheap when nothing else does. Tells whether it renames the device.
  mutating func heard(_ device: Device1, _ changes: Device1.Changes, _ traits: DaemonTraits) -> Bool {
    if changes.isDisjoint(with: .content) && revision != 0 { return false }
    if changes.contains(.uuids) || revision == 0 { updateUUIDs(device) }
    if changes.contains(.serviceData) && !isResolvedList(device) { traits.learn(from: device) }
    let before = (name, data)
    updateName(device, changes)
    data.serviceUUIDs =
      traits.listsServiceData ? advertisedUUIDs.filter { !serviceDataUUIDs.contains($0) } : advertisedUUIDs
    data.solicitedServiceUUIDs = device.solicitedUUIDs
    data.serviceData = device.serviceData
    data.manufacturerData = Self.manufacturerData(of: device)
    data.txPowerLevel = device.txPower
    if revision == 0 || before.0 != name || before.1 != data { bump() }
    return before.0 != nil && before.0 != name
  }

  /// A change that is no advertisement. Tells whether the name is another.
  mutating func changed(_ device: Device1, _ changes: Device1.Changes) -> Bool {
    if changes.contains(.servicesResolved) && device.servicesResolved {
      wasResolved = true
      // At a later connection this may be what was advertised since.
      if gapName == nil { gapName = device.name }
    }
    if changes.contains(.connected) && device.isConnected { wasConnected = true }
    guard changes.contains(.name), !changes.contains(.rssi) || device.isConnected, let new = device.name else {
      return false
    }
    if device.isConnected { gapName = new }
    return rename(gapName ?? new)
  }

  /// What the device's GAP service says. Tells whether the name is another.
  mutating func readGAPName(_ new: String) -> Bool {
    gapName = new
    return rename(new)
  }

  /// bluetoothd shows the device anew, maybe after a restart: its properties start from nothing.
  mutating func appeared(_ device: Device1) {
    wasResolved = device.servicesResolved
    wasConnected = device.isConnected
    advertisedUUIDs = []
    serviceDataUUIDs = []
    if gapName == nil, let known = device.name { name = known }
  }

  // MARK: Fields

  private mutating func updateName(_ device: Device1, _ changes: Device1.Changes) {
    guard let advertised = device.name else { return }
    // A name that has not changed since bluetoothd read it from its store is most likely the advertised one, until a
    // connection has put the GAP name there.
    let isAdvertised = changes.contains(.name) || data.localName == nil && !wasConnected
    if isAdvertised && !device.isConnected { data.localName = advertised }
    if gapName == nil { name = advertised }
  }

  private mutating func updateUUIDs(_ device: Device1) {
    guard !isResolvedList(device) else { return }
    let new = device.uuids.filter { !advertisedUUIDs.contains($0) }
    // bluetoothd puts those of service data behind the listed ones, so whatever precedes a listed one is listed too.
    let listed = new.lastIndex { device.serviceData[$0] == nil || DaemonTraits.alwaysListed.contains($0) } ?? -1
    for (index, uuid) in new.enumerated() {
      if index > listed { serviceDataUUIDs.insert(uuid) } else { serviceDataUUIDs.remove(uuid) }
    }
    advertisedUUIDs = device.uuids
  }

  /// Whether `UUIDs` is a list of GATT services: of this connection, or of one in the past that bluetoothd remembers.
  /// The generic services tell those, as nobody advertises them.
  private func isResolvedList(_ device: Device1) -> Bool {
    wasResolved || device.servicesResolved
      || device.uuids.contains { $0 == Self.genericAccess || $0 == Self.genericAttribute }
  }

  private static let genericAccess = BluetoothUUID(short: 0x1800)
  private static let genericAttribute = BluetoothUUID(short: 0x1801)

  /// CoreBluetooth has room for one entry: the one that came last.
  private static func manufacturerData(of device: Device1) -> [UInt8]? {
    guard let entry = device.manufacturerData.first(where: { $0.company == device.latestManufacturer }) else {
      return nil
    }
    return [UInt8(entry.company & 0xFF), UInt8(entry.company >> 8)] + entry.bytes
  }

  private mutating func rename(_ new: String) -> Bool {
    guard new != name else { return false }
    name = new
    if revision != 0 { bump() }
    return true
  }

  private mutating func bump() {
    Self.lastRevision += 1
    revision = Self.lastRevision
  }
}
