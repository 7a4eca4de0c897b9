import BridgeIO
import DBus

/// What the GATT clients of one radio know together, by object path: where announced values go, and which services
/// took another's place.
///
/// Only characteristics that somebody is subscribed to are in it, so that the values which bluetoothd announces for
/// every read, and for other programs, cost one look at the interface's name.
@BridgeQueue
final class GATTPaths {
  private struct Route {
    let client: GATTClient
    let attribute: Attribute
  }

  private var routes: [String: Route] = [:]

  /// Services announced under the path of one that was there before. bluetoothd (5.64 to 5.87) says `Primary=false` of
  /// these, whatever they are, and goes on saying so in later connections.
  private(set) var replacedServices: Set<String> = []
  /// Services taken away whose path has not come back.
  private var vacated: Set<String> = []

  // MARK: Values

  func addRoute(from attribute: Attribute, to client: GATTClient) {
    routes[attribute.path.text] = Route(client: client, attribute: attribute)
  }

  func removeRoute(from attribute: Attribute) {
    guard let route = routes[attribute.path.text], route.attribute === attribute else { return }
    routes[attribute.path.text] = nil
  }

  func removeRoutes(to client: GATTClient) { routes = routes.filter { $0.value.client !== client } }

  /// Delivers the value in a `PropertiesChanged` signal of a characteristic.
  ///
  /// - Returns: whether that was all there was in the signal; otherwise it still concerns the object cache.
  func deliverValue(in signal: Message) -> Bool {
    signal.read { arguments in
      guard arguments.isString("org.bluez.GattCharacteristic1") else { return false }
      let route = routes.isEmpty ? nil : signal.path.flatMap { routes[$0] }
      var value: [UInt8]?
      var isAll = true
      arguments.enter { changed in
        while !changed.isAtEnd {
          changed.enter { entry in
            if entry.isString("Value") {
              if route != nil { value = entry.enter { $0.bytes() } ?? nil }
            } else {
              isAll = false
            }
          }
        }
      }
      if arguments.enter({ $0.isAtEnd }) == false { isAll = false }
      if let route, let value { route.client.valueArrived(value, of: route.attribute) }
      return isAll
    }
  }

  // MARK: Services in another's place

  func serviceRemoved(_ path: String) {
    replacedServices.remove(path)
    // A device can vacate what it likes; a service wrongly called secondary is the price of forgetting.
    if vacated.count >= 4096 { vacated.removeAll() }
    vacated.insert(path)
  }

  func serviceAdded(_ path: String) {
    if vacated.remove(path) != nil { replacedServices.insert(path) }
  }

  /// The device's object is gone, and with it all that bluetoothd knew of its services.
  func forgetServices(below devicePath: String) {
    let prefix = devicePath + "/"
    replacedServices = replacedServices.filter { !$0.hasPrefix(prefix) }
    vacated = vacated.filter { !$0.hasPrefix(prefix) }
  }
}
