import BridgeIO
import DBus

/// Discovery on Adapter1: a session and a filter per bus name.
///
/// - Source: BlueZ `src/adapter.c`.
extension FakeAdapter {
  func serveDiscovery(_ object: FakeObject) {
    object.on(FakeNames.adapter, "SetDiscoveryFilter") { [unowned self] in setFilter($0) }
    object.on(FakeNames.adapter, "StartDiscovery") { [unowned self] in start($0) }
    object.on(FakeNames.adapter, "StopDiscovery") { [unowned self] in stop($0) }
    object.on(FakeNames.adapter, "GetDiscoveryFilters") { call in
      call.reply(.strings(["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]))
    }
  }

  private static let filterTypes = [
    "UUIDs": "as", "RSSI": "n", "Pathloss": "q", "Transport": "s", "DuplicateData": "b", "Discoverable": "b",
    "Pattern": "s", "AutoConnect": "b",
  ]

  private func setFilter(_ call: FakeCall) {
    guard isPowered else { return call.fail(.bluezNotReady) }
    guard let filter = call.arguments.first?.properties, Self.isValid(filter) else {
      return call.fail(.bluezInvalidArguments)
    }
    discoveryFilters[call.sender] = filter.isEmpty ? nil : filter
    call.reply()
  }

  private static func isValid(_ filter: [String: Value]) -> Bool {
    for (key, value) in filter where filterTypes[key] != value.typeSignature { return false }
    if filter["RSSI"] != nil && filter["Pathloss"] != nil { return false }
    if let transport = filter["Transport"]?.string, !["auto", "bredr", "le"].contains(transport) { return false }
    return true
  }

  private func start(_ call: FakeCall) {
    guard isPowered else { return call.fail(.bluezNotReady) }
    guard discoverySessions.insert(call.sender).inserted else { return call.fail(.bluezInProgress) }
    update("Discovering", .boolean(true))
    call.reply()
    BridgeQueue.async { [weak self] in
      guard let self, isDiscovering else { return }
      for device in devices where device.isAdvertising { device.advertise() }
    }
  }

  private func stop(_ call: FakeCall) {
    guard isPowered else { return call.fail(.bluezNotReady) }
    guard discoverySessions.remove(call.sender) != nil else {
      return call.fail(.bluez("Failed", "No discovery started"))
    }
    discoveryFilters[call.sender] = nil
    if !isDiscovering { discoveryStopped() }
    call.reply()
  }

  func discoveryStopped() {
    update("Discovering", .boolean(false))
    for device in devices { device.discoveryStopped() }
  }

  /// Whether any client wants each report's data again.
  var wantsDuplicateData: Bool { discoveryFilters.values.contains { $0["DuplicateData"]?.bool == true } }
}
