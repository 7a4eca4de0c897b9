/// What an earlier run of the app had under way (Apple's `centralManager(_:willRestoreState:)`).
public struct DidRestoreState: EventBody {
  static let type: StaticString = "didRestoreState"

  public var peripheralIds: [PeripheralIdentifier]
  public var scanServices: [BluetoothUUID]
  public var allowDuplicates: Bool
  public var solicitedServices: [BluetoothUUID]

  public init(
    peripheralIds: [PeripheralIdentifier], scanServices: [BluetoothUUID] = [], allowDuplicates: Bool = false,
    solicitedServices: [BluetoothUUID] = []
  ) {
    self.peripheralIds = peripheralIds
    self.scanServices = scanServices
    self.allowDuplicates = allowDuplicates
    self.solicitedServices = solicitedServices
  }

  init(_ fields: MessageFields) throws(FieldError) {
    peripheralIds = try fields.peripherals("peripheralIds")
    scanServices = try fields.uuids("scanServices")
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
  }
}
