import BridgeIO
import DBus

/// bluetoothd's objects as last announced. Devices are kept as `Device1`; of the others, path, interface, property and
/// value. Characteristic values are not kept, and neither are interfaces that nobody here asks for.
@BridgeQueue
final class ObjectCache {
  typealias Properties = [String: Value]

  private var objects: [String: [String: Properties]] = [:]
  private(set) var devices: [String: Device1] = [:]

  private static let keptInterfaces: Set<String> = [
    BlueZ.Adapter.interface, BlueZ.BearerLE.interface, BlueZ.GATT.service, BlueZ.GATT.characteristic,
    BlueZ.GATT.descriptor, BlueZ.Manager.agent, BlueZ.Manager.gatt, BlueZ.Manager.advertising,
  ]

  // MARK: Looking up

  /// The properties of one interface of an object, or nil if it does not have that interface. Of a `Device1`, those
  /// that say who it is and how it is connected.
  func properties(of path: String, _ interface: String) -> Properties? {
    if interface == BlueZ.Device.interface { return devices[path]?.linkProperties }
    return objects[path]?[interface]
  }

  func has(_ interface: String, at path: String) -> Bool {
    interface == BlueZ.Device.interface ? devices[path] != nil : objects[path]?[interface] != nil
  }

  /// Paths of the objects with `interface` directly or further below `path`, in no order.
  func paths(below path: String, with interface: String) -> [String] {
    let prefix = path + "/"
    if interface == BlueZ.Device.interface { return devices.keys.filter { $0.hasPrefix(prefix) } }
    return objects.compactMap { $0.value[interface] != nil && $0.key.hasPrefix(prefix) ? $0.key : nil }
  }

  var adapters: [Adapter1] {
    objects.compactMap { path, interfaces in
      interfaces[BlueZ.Adapter.interface].map { Adapter1(path: path, properties: $0) }
    }
  }

  // MARK: Keeping current

  func removeAll() {
    objects = [:]
    devices = [:]
  }

  /// Applies the reply to `GetManagedObjects`: `a{oa{sa{sv}}}`.
  func load(_ reply: Message) {
    removeAll()
    reply.read { reader in
      _ = reader.enter { objects in
        while !objects.isAtEnd {
          _ = objects.enter { object in
            guard let path = object.string() else { return }
            _ = self.addInterfaces(to: path, &object)
          }
        }
      }
    }
  }

  /// What `addInterfaces` found.
  struct Addition {
    var interfaces: [String] = []
    var device: Device1?
    var deviceChanges: Device1.Changes = []
  }

  /// Applies the `a{sa{sv}}` that the reader stands at.
  func addInterfaces(to path: String, _ reader: inout MessageReader) -> Addition {
    var addition = Addition()
    _ = reader.enter { interfaces in
      while !interfaces.isAtEnd {
        _ = interfaces.enter { entry in
          guard let interface = entry.string() else { return }
          if interface == BlueZ.Device.interface {
            let device = self.devices[path] ?? Device1(path: path)
            self.devices[path] = device
            addition.device = device
            addition.deviceChanges = device.apply(&entry)
          } else if Self.keptInterfaces.contains(interface), var properties = entry.properties() {
            if interface == BlueZ.GATT.characteristic || interface == BlueZ.GATT.descriptor {
              properties[BlueZ.GATT.value] = nil
            }
            self.objects[path, default: [:]][interface] = properties
            addition.interfaces.append(interface)
          }
        }
      }
    }
    return addition
  }

  /// Applies `InterfacesRemoved`; gives the interfaces that were known.
  func removeInterfaces(_ interfaces: [String], from path: String) -> [String] {
    interfaces.filter { interface in
      if interface == BlueZ.Device.interface { return devices.removeValue(forKey: path) != nil }
      guard objects[path]?.removeValue(forKey: interface) != nil else { return false }
      if objects[path]?.isEmpty == true { objects[path] = nil }
      return true
    }
  }

  /// Applies `PropertiesChanged` of anything but a device; false for an object or interface that was not announced.
  func change(_ changed: Properties, invalidated: [String], of path: String, _ interface: String) -> Bool {
    guard objects[path]?[interface] != nil else { return false }
    for (name, value) in changed where name != BlueZ.GATT.value {
      objects[path]?[interface]?[name] = value
    }
    for name in invalidated { objects[path]?[interface]?[name] = nil }
    return true
  }
}

extension Device1 {
  /// What others ask the cache for.
  var linkProperties: [String: Value] {
    var properties: [String: Value] = [
      BlueZ.Device.connected: .boolean(isConnected), BlueZ.Device.paired: .boolean(isPaired),
      BlueZ.Device.servicesResolved: .boolean(servicesResolved),
    ]
    properties[BlueZ.Device.address] = addressText.map { .string($0) }
    properties[BlueZ.Device.addressType] = addressType.map { .string($0) }
    properties[BlueZ.Device.name] = name.map { .string($0) }
    return properties
  }
}
