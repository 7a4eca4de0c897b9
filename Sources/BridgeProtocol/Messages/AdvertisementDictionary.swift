extension JSONWriter {
  /// Writes the dictionary that CoreBluetooth gives with a discovery: what is not advertised is left out.
  ///
  /// - Source: the values of Apple's `CBAdvertisementData…Key` constants.
  mutating func advertisement(_ data: AdvertisementData, spelling: UUIDSpelling) {
    beginObject()
    if let name = data.localName, !name.isEmpty {
      key("kCBAdvDataLocalName")
      string(name)
    }
    if let isConnectable = data.isConnectable {
      key("kCBAdvDataIsConnectable")
      bool(isConnectable)
    }
    if !data.serviceUUIDs.isEmpty {
      key("kCBAdvDataServiceUUIDs")
      uuids(
        data.serviceUUIDs, spelling: data.longServiceUUIDs.isEmpty ? spelling : spelling.adding(data.longServiceUUIDs))
    }
    if !data.overflowServiceUUIDs.isEmpty {
      key("kCBAdvDataHashedServiceUUIDs")
      uuids(data.overflowServiceUUIDs, spelling: spelling)
    }
    if !data.solicitedServiceUUIDs.isEmpty {
      key("kCBAdvDataSolicitedServiceUUIDs")
      uuids(data.solicitedServiceUUIDs, spelling: spelling)
    }
    if let manufacturerData = data.manufacturerData, !manufacturerData.isEmpty {
      key("kCBAdvDataManufacturerData")
      base64(manufacturerData)
    }
    if !data.serviceData.isEmpty { serviceData(data.serviceData, spelling: spelling) }
    if let power = data.txPowerLevel {
      key("kCBAdvDataTxPowerLevel")
      int(power)
    }
    endObject()
  }

  /// Entries in the order of their UUIDs, so that equal data give equal text.
  private mutating func serviceData(_ data: [BluetoothUUID: [UInt8]], spelling: UUIDSpelling) {
    key("kCBAdvDataServiceData")
    beginObject()
    if data.count == 1, let entry = data.first {
      key(entry.key, spelling: spelling)
      base64(entry.value)
    } else {
      for entry in data.sorted(by: { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }) {
        key(entry.key, spelling: spelling)
        base64(entry.value)
      }
    }
    endObject()
  }
}

extension AdvertisementData {
  /// Reads what an app wants advertised, in the widths in which it wants its services.
  init(toAdvertise fields: MessageFields) throws(FieldError) {
    var spelling = UUIDSpelling()
    try self.init(fields, spelling: &spelling)
    longServiceUUIDs = spelling.longUUIDs(of: serviceUUIDs)
  }

  /// Reads such a dictionary; unusual spellings of its UUIDs are added to `spelling`.
  init(_ fields: MessageFields, spelling: inout UUIDSpelling) throws(FieldError) {
    self.init()
    func uuids(_ key: StaticString) throws(FieldError) -> [BluetoothUUID] {
      let spelled = try fields.spelledUUIDs(key)
      for uuid in spelled { spelling.add(uuid) }
      return spelled.map(\.uuid)
    }
    localName = try fields.optionalString("kCBAdvDataLocalName")
    if localName == nil { localName = try fields.optionalString("localName") }
    if fields.item("kCBAdvDataIsConnectable") != nil { isConnectable = try fields.bool("kCBAdvDataIsConnectable") }
    serviceUUIDs = try uuids("kCBAdvDataServiceUUIDs")
    overflowServiceUUIDs = try uuids("kCBAdvDataHashedServiceUUIDs")
    solicitedServiceUUIDs = try uuids("kCBAdvDataSolicitedServiceUUIDs")
    if fields.item("kCBAdvDataManufacturerData") != nil {
      manufacturerData = try fields.bytes("kCBAdvDataManufacturerData")
    }
    txPowerLevel = try fields.optionalInt("kCBAdvDataTxPowerLevel")
    guard let entries = fields.item("kCBAdvDataServiceData") else { return }
    guard entries.kind == .object else { throw FieldError("kCBAdvDataServiceData", .not(.object)) }
    try entries.forEachMember { key, value throws(FieldError) in
      let (uuid, bytes) = try Self.serviceData(key.string ?? "", value)
      spelling.add(uuid)
      if serviceData[uuid.uuid] == nil { serviceData[uuid.uuid] = bytes }
    }
  }

  private static func serviceData(_ key: String, _ value: JSONItem) throws(FieldError) -> (SpelledUUID, [UInt8]) {
    let place = "kCBAdvDataServiceData.\(key)"
    guard let uuid = SpelledUUID(key) else { throw FieldError(place, .invalidUUID) }
    guard let bytes = value.withText({ Base64.decode($0) }) else { throw FieldError(place, .not(.string)) }
    guard let bytes else { throw FieldError(place, .invalidBase64) }
    return (uuid, bytes)
  }
}
