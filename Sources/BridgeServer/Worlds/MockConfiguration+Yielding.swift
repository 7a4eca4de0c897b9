import BridgeIO
import BridgeProtocol

extension MockConfiguration {
  /// The same with another identifier for each device whose own is taken: made of its own, so the same each time.
  func yielding(to isTaken: (PeripheralIdentifier) -> Bool) -> MockConfiguration {
    var result = self
    for index in devices.indices where isTaken(devices[index].id) {
      let old = devices[index].id
      var id = PeripheralIdentifier(derivedFrom: "virtual \(old)")
      while isTaken(id) || devices.contains(where: { $0.id == id }) {
        id = PeripheralIdentifier(derivedFrom: "virtual \(id)")
      }
      result.devices[index].id = id
      Log.notice(
        "mock", "the virtual \(devices[index].name) is served as \(id): a real device has its identifier \(old)")
    }
    return result
  }
}
