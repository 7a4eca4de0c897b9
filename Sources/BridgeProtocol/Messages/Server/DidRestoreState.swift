/// What an earlier run of the app had under way (Apple's `centralManager(_:willRestoreState:)`).
public struct DidRestoreState: EventBody {
  static let type: StaticString = "didRestoreState"

  public var peripheralIds: [PeripheralIdentifier]
  public var scanServices: [BluetoothUUID]
  public var allowDuplicates: Bool
  public var solicitedServices: [BluetoothUUID]
  /// Whether the scan is on; the three above say nothing otherwise.
  public var isScanning: Bool
  /// The peripherals in more detail.
  public var peripherals: [RestoredPeripheral]

  public init(
    peripheralIds: [PeripheralIdentifier], scanServices: [BluetoothUUID] = [], allowDuplicates: Bool = false,
    solicitedServices: [BluetoothUUID] = [], isScanning: Bool = false, peripherals: [RestoredPeripheral] = []
  ) {
    self.peripheralIds = peripheralIds
    self.scanServices = scanServices
    self.allowDuplicates = allowDuplicates
    self.solicitedServices = solicitedServices
    self.isScanning = isScanning
    self.peripherals = peripherals
  }

  init(_ fields: MessageFields) throws(FieldError) {
    peripheralIds = try fields.peripherals("peripheralIds")
    scanServices = try fields.uuids("scanServices")
    isScanning = try fields.bool("isScanning", default: false)
    peripherals = try fields.objects("peripherals", RestoredPeripheral.init)
    let options = try fields.object("scanOptions")
    do {
      allowDuplicates = try options?.bool("kCBScanOptionAllowDuplicates", default: false) ?? false
      solicitedServices = try options?.uuids("kCBScanOptionSolicitedServiceUUIDs") ?? []
    } catch { throw error.inside("scanOptions") }
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("peripheralIds")
    writer.peripherals(peripheralIds)
    writer.key("scanServices")
    writer.uuids(scanServices)
    writer.key("scanOptions")
    writer.beginObject()
    writer.key("kCBScanOptionAllowDuplicates")
    writer.bool(allowDuplicates)
    if !solicitedServices.isEmpty {
      writer.key("kCBScanOptionSolicitedServiceUUIDs")
      writer.uuids(solicitedServices)
    }
    writer.endObject()
    // Only for those who know what it means.
    guard features.contains(.restore) else { return }
    writer.field("isScanning", isScanning)
    writer.key("peripherals")
    writer.objects(peripherals)
  }
}
