/// Starts scanning, or replaces the running scan and has everything reported again; answered by `didDiscover`s.
public struct Scan: RequestBody {
  static let type: StaticString = "scan"

  /// Reports devices that advertise any of these; empty for all. The spelling counts: see `UUIDSpelling`.
  public var services: [SpelledUUID]
  /// Reports every advertisement.
  public var allowDuplicates: Bool
  /// Reports devices that solicit any of these as well.
  public var solicitedServices: [SpelledUUID]
  /// Names of the app's scanning centrals, for information.
  public var scannerKeys: [String]

  public init(
    services: [SpelledUUID] = [], allowDuplicates: Bool = false, solicitedServices: [SpelledUUID] = [],
    scannerKeys: [String] = []
  ) {
    self.services = services
    self.allowDuplicates = allowDuplicates
    self.solicitedServices = solicitedServices
    self.scannerKeys = scannerKeys
  }

  init(_ fields: MessageFields) throws(FieldError) {
    services = try fields.spelledUUIDs("services")
    // For information only: no reason to refuse a scan.
    scannerKeys = (try? fields.strings("_scannerKeys")) ?? []
    allowDuplicates = false
    solicitedServices = []
    guard let options = try fields.object("options") else { return }
    do {
      allowDuplicates = try options.bool("kCBScanOptionAllowDuplicates", default: false)
      // Two names of one list.
      solicitedServices = try options.spelledUUIDs("kCBScanOptionSolicitedServiceUUIDs")
      if solicitedServices.isEmpty { solicitedServices = try options.spelledUUIDs("solicitedServiceUUIDs") }
    } catch { throw error.inside("options") }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("services")
    writer.spelledUUIDs(services)
    writer.key("options")
    writer.beginObject()
    writer.key("kCBScanOptionAllowDuplicates")
    writer.bool(allowDuplicates)
    if !solicitedServices.isEmpty {
      writer.key("kCBScanOptionSolicitedServiceUUIDs")
      writer.spelledUUIDs(solicitedServices)
      writer.key("solicitedServiceUUIDs")
      writer.spelledUUIDs(solicitedServices)
    }
    writer.endObject()
    writer.key("_scannerKeys")
    writer.strings(scannerKeys)
  }
}
