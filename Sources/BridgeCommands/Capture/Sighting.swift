import BridgeProtocol

/// A device as its advertisements have shown it so far.
struct Sighting {
  let id: PeripheralIdentifier
  private(set) var name = ""
  /// dBm; nil while none was available.
  private(set) var rssi: Int?
  private(set) var data = AdvertisementData()
  private(set) var count = 0

  init(_ report: DidDiscover) {
    id = report.id
    add(report)
  }

  /// Keeps what a later advertisement leaves out: scan responses come apart.
  mutating func add(_ report: DidDiscover) {
    count += 1
    if !report.name.isEmpty { name = report.name }
    if report.rssi != 127 { rssi = report.rssi }
    let new = report.advertisement
    if let name = new.localName, !name.isEmpty { data.localName = name }
    if let isConnectable = new.isConnectable { data.isConnectable = isConnectable }
    if !new.serviceUUIDs.isEmpty { data.serviceUUIDs = new.serviceUUIDs.sorted { $0.text < $1.text } }
    if !new.overflowServiceUUIDs.isEmpty { data.overflowServiceUUIDs = new.overflowServiceUUIDs }
    if !new.solicitedServiceUUIDs.isEmpty { data.solicitedServiceUUIDs = new.solicitedServiceUUIDs }
    if let bytes = new.manufacturerData, !bytes.isEmpty { data.manufacturerData = bytes }
    data.serviceData.merge(new.serviceData) { $1 }
    if let level = new.txPowerLevel { data.txPowerLevel = level }
  }

  /// Nobody says it: taken for connectable.
  var isConnectable: Bool { data.isConnectable ?? true }

  var isNamed: Bool { name.contains { !$0.isWhitespace } }

  var displayName: String { isNamed ? name : "Unnamed Device" }

  /// The device that is most likely wanted comes first.
  static func < (left: Sighting, right: Sighting) -> Bool {
    func order<Value: Comparable>(_ key: (Sighting) -> Value) -> Bool? {
      let (one, other) = (key(left), key(right))
      return one == other ? nil : one > other
    }
    return order { $0.data.serviceUUIDs.count } ?? order { $0.isNamed ? 1 : 0 } ?? order { $0.isConnectable ? 1 : 0 }
      ?? order { $0.data.manufacturerData == nil ? 0 : 1 } ?? order { $0.rssi ?? .min }
      ?? (FoldedText(left.displayName) != FoldedText(right.displayName)
        ? FoldedText(left.displayName) < FoldedText(right.displayName) : left.id.text < right.id.text)
  }

  // MARK: As a configuration has it

  /// What is known without a connection: an empty service for each that is advertised.
  var device: MockDevice {
    let services = data.serviceUUIDs.map { uuid in
      MockService(id: MockIdentifier(derivedFrom: "\(id.text):\(uuid.text)"), uuid: uuid)
    }
    var device = MockDevice(id: id, name: displayName, services: services)
    device.rssi = rssi ?? device.rssi
    device.isConnectable = isConnectable
    device.advertisedServiceUUIDs = data.serviceUUIDs
    device.manufacturerData = data.manufacturerData
    // Silence on air is something else than the name that stands for it here.
    if data.localName != device.name { device.localName = data.localName ?? "" }
    device.serviceData = data.serviceData
    device.txPower = data.txPowerLevel.flatMap { -127...127 ~= $0 ? $0 : nil }
    device.solicitedServiceUUIDs = data.solicitedServiceUUIDs
    device.overflowServiceUUIDs = data.overflowServiceUUIDs
    return device
  }
}
