import BridgeIO
import DBus

/// What bluetoothd's signals mean, told after the cache holds it.
@BridgeQueue
protocol BlueZSignalObserver: AnyObject {
  /// An adapter came, went or changed.
  func adaptersDidChange()
  func deviceAppeared(_ device: Device1, changes: Device1.Changes)
  func deviceVanished(_ device: Device1)
  func device(_ device: Device1, didChange changes: Device1.Changes)
  /// The signal `Device1.Disconnected`, since 5.83: why a link ends.
  func device(_ device: Device1, willDisconnectFor reason: String)
  /// GATT objects below a device.
  func attributesChanged(of device: Device1, added: [String], removed: [String])
  func attribute(_ path: String, of device: Device1, didChange interface: String, properties: [String: Value])
}

/// Applies bluetoothd's signals to the cache and tells what they mean. Advertisements and notifications, which come by
/// the thousands, make no strings or values on the way.
@BridgeQueue
final class SignalDispatcher {
  private let cache: ObjectCache
  private let gattPaths: GATTPaths
  weak var observer: (any BlueZSignalObserver)?

  init(cache: ObjectCache, gattPaths: GATTPaths) {
    self.cache = cache
    self.gattPaths = gattPaths
  }

  func dispatch(_ signal: Message) {
    if signal.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") {
      propertiesChanged(signal)
    } else if signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
      interfacesAdded(signal)
    } else if signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
      interfacesRemoved(signal)
    } else if signal.isSignal("org.bluez.Device1", "Disconnected") {
      // 5.84 and later say the same on Bearer.LE1, which is not asked for here.
      guard let device = signal.path.flatMap({ cache.devices[$0] }) else { return }
      observer?.device(device, willDisconnectFor: signal.read { $0.string() } ?? "")
    }
  }

  // MARK: Properties

  private enum Kind { case device, characteristic, other }

  private static func kind(_ interface: UnsafeRawBufferPointer) -> Kind {
    if matches(interface, "org.bluez.Device1") { return .device }
    return matches(interface, "org.bluez.GattCharacteristic1") ? .characteristic : .other
  }

  private func propertiesChanged(_ signal: Message) {
    signal.read { reader in
      guard let kind = reader.withString({ Self.kind($0) }) else { return }
      switch kind {
      case .device:
        // Unknown: not announced yet, so whatever this says will be in the announcement.
        guard let device = signal.path.flatMap({ self.cache.devices[$0] }) else { return }
        var changes = device.apply(&reader)
        changes.formUnion(device.invalidate(&reader))
        if !changes.isEmpty { self.observer?.device(device, didChange: changes) }
      case .characteristic:
        if !self.gattPaths.deliverValue(in: signal) { self.otherChanged(signal) }
      case .other: self.otherChanged(signal)
      }
    }
  }

  private func otherChanged(_ signal: Message) {
    guard let path = signal.path else { return }
    signal.read { reader in
      guard let interface = reader.string(), let changed = reader.properties() else { return }
      self.otherChanged(path, interface, changed, invalidated: reader.strings())
    }
  }

  private func otherChanged(_ path: String, _ interface: String, _ changed: [String: Value], invalidated: [String]) {
    guard cache.change(changed, invalidated: invalidated, of: path, interface) else { return }
    if interface == BlueZ.Adapter.interface {
      observer?.adaptersDidChange()
    } else if let device = device(owning: path) {
      observer?.attribute(path, of: device, didChange: interface, properties: changed)
    }
  }

  // MARK: Objects

  private func interfacesAdded(_ signal: Message) {
    var path: String?
    let addition = signal.read { reader in
      path = reader.string()
      return path.map { self.cache.addInterfaces(to: $0, &reader) }
    }
    guard let path, let addition else { return }
    if addition.interfaces.contains(BlueZ.GATT.service) { gattPaths.serviceAdded(path) }
    if let device = addition.device { observer?.deviceAppeared(device, changes: addition.deviceChanges) }
    if addition.interfaces.contains(BlueZ.Adapter.interface) { observer?.adaptersDidChange() }
    if addition.interfaces.contains(where: Self.isAttribute), let device = device(owning: path) {
      observer?.attributesChanged(of: device, added: [path], removed: [])
    }
  }

  private func interfacesRemoved(_ signal: Message) {
    signal.read { reader in
      guard let path = reader.string() else { return }
      // Battery1 alone comes and goes at every connection: what matters is which interfaces are in the list.
      let device = self.cache.devices[path]
      let owner = self.device(owning: path)
      let removed = self.cache.removeInterfaces(reader.strings(), from: path)
      guard !removed.isEmpty else { return }
      if removed.contains(BlueZ.GATT.service) { self.gattPaths.serviceRemoved(path) }
      if let device, removed.contains(BlueZ.Device.interface) { self.observer?.deviceVanished(device) }
      if removed.contains(BlueZ.Adapter.interface) { self.observer?.adaptersDidChange() }
      if removed.contains(where: Self.isAttribute), let owner {
        self.observer?.attributesChanged(of: owner, added: [], removed: [path])
      }
    }
  }

  private static func isAttribute(_ interface: String) -> Bool {
    interface == BlueZ.GATT.service || interface == BlueZ.GATT.characteristic || interface == BlueZ.GATT.descriptor
  }

  /// The device that an attribute's path lies below: `/org/bluez/hci0/dev_…/service…`.
  private func device(owning path: String) -> Device1? {
    var slashes = 0
    guard
      let end = path.utf8.indices.first(where: { index in
        if path.utf8[index] == UInt8(ascii: "/") { slashes += 1 }
        return slashes == 5
      })
    else { return nil }
    return cache.devices[String(path[..<end])]
  }
}

extension MessageReader {
  /// The members of the `as` or `ao` that the reader stands at.
  mutating func strings() -> [String] {
    enter { list in
      var found: [String] = []
      while !list.isAtEnd { if let text = list.string() { found.append(text) } }
      return found
    } ?? []
  }
}
