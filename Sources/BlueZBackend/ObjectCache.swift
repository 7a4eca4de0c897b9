import BridgeIO
import DBus

/// bluetoothd's objects as last announced: path, interface, property, value. Characteristic values are not kept.
@BridgeQueue
final class ObjectCache {
  private var objects: [String: [String: [String: Value]]] = [:]

  /// The properties of one interface of an object, or nil if it does not have that interface.
  func properties(of path: String, _ interface: String) -> [String: Value]? { objects[path]?[interface] }

  /// Paths of the objects with `interface` directly or further below `path`, in no order.
  func paths(below path: String, with interface: String) -> [String] {
    let prefix = path + "/"
    return objects.compactMap { $0.value[interface] != nil && $0.key.hasPrefix(prefix) ? $0.key : nil }
  }
}
