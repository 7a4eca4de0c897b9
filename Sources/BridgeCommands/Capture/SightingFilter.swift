import BridgeProtocol

/// Which devices are shown and, unless someone picks, captured.
struct SightingFilter {
  /// Part of the name, without regard to case and marks; empty for any.
  var name = ""
  /// Any of these advertised; empty for all.
  var services: [BluetoothUUID] = []
  var isConnectableOnly = false
  var showsUnnamed = false

  func admits(_ sighting: Sighting) -> Bool {
    (showsUnnamed || sighting.isNamed) && (!isConnectableOnly || sighting.isConnectable)
      && FoldedText(sighting.name).contains(FoldedText(name))
      && (services.isEmpty || services.contains { sighting.data.serviceUUIDs.contains($0) })
  }
}
