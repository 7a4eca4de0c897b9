import DBus

extension FakeDevice {
  /// One report of the advertisement, received if a discovery is on: InterfacesAdded the first time, else
  /// PropertiesChanged with RSSI.
  ///
  /// - Returns: Whether bluetoothd heard it.
  @discardableResult
  public func advertise(_ changed: FakeAdvertisement? = nil, rssi: Int16? = nil) -> Bool {
    if let changed { advertisement = changed }
    if let rssi { advertisement.rssi = rssi }
    guard adapter.isPresent, adapter.isPowered, adapter.isDiscovering else { return false }
    tree.flush()
    if !isKnown { publish() }
    report()
    tree.flush()
    wasSeen()
    return true
  }

  private func report() {
    if let name = advertisement.name {
      update("Name", .string(name))
      update("Alias", .string(name))
    }
    reportUUIDs()
    reportData("ManufacturerData", manufacturerData)
    reportData("ServiceData", serviceData)
    if let flags = advertisement.flags { update("AdvertisingFlags", .bytes(flags)) }
    if let power = advertisement.txPower { update("TxPower", .int16(power)) }
    set("RSSI", .int16(advertisement.rssi))
  }

  /// Accumulated, with the keys of service data, until services are resolved.
  private func reportUUIDs() {
    guard !attributes.areKnown else { return }
    let known = property("UUIDs")?.strings ?? []
    let heard = (advertisement.uuids + advertisement.serviceData.keys).map(bluezUUID)
    let all = Set(known).union(heard)
    if all.count > known.count { update("UUIDs", .strings(all.sorted())) }
  }

  private var manufacturerData: [Value: Value] {
    var entries: [Value: Value] = [:]
    for (company, data) in advertisement.manufacturerData { entries[.uint16(company)] = .variant(.bytes(data)) }
    return entries
  }

  private var serviceData: [Value: Value] {
    var entries: [Value: Value] = [:]
    for (uuid, data) in advertisement.serviceData { entries[.string(bluezUUID(uuid))] = .variant(.bytes(data)) }
    return entries
  }

  /// Merged into what is known, and told on change; or, if a client asked for duplicate data, replaced and told each
  /// time.
  private func reportData(_ property: String, _ heard: [Value: Value]) {
    guard !heard.isEmpty else { return }
    if adapter.wantsDuplicateData { return set(property, Self.dictionary(heard)) }
    let known = Self.entries(self.property(property))
    let merged = known.merging(heard) { $1 }
    if merged != known { set(property, Self.dictionary(merged)) }
  }

  private static func dictionary(_ entries: [Value: Value]) -> Value {
    if case .string? = entries.keys.first {
      var properties: [String: Value] = [:]
      for case (.string(let key), .variant(let value)) in entries { properties[key] = value }
      return .properties(properties)
    }
    return .array(element: "{qv}", entries.map { .entry(key: $0.key, value: $0.value) })
  }

  private static func entries(_ value: Value?) -> [Value: Value] {
    var entries: [Value: Value] = [:]
    switch value {
    case .properties(let properties): for (key, value) in properties { entries[.string(key)] = .variant(value) }
    case .array(_, let elements):
      for case .entry(let key, let value) in elements { entries[key] = value }
    default: break
    }
    return entries
  }
}
