import BridgeProtocol

/// What emulation takes from clients.
package struct ServerSwitches: Hashable, Sendable {
  /// Whether scans may ask for each advertisement.
  package var honorsDuplicates: Bool
  /// Whether scans may look for solicited services.
  package var honorsSolicitedServices: Bool
  /// Whether scans for nothing in particular find anything.
  package var admitsOpenScans: Bool
  /// Whether clients hear of connections that others make.
  package var tellsConnectionEvents: Bool

  package init(
    honorsDuplicates: Bool = true, honorsSolicitedServices: Bool = true, admitsOpenScans: Bool = true,
    tellsConnectionEvents: Bool = true
  ) {
    self.honorsDuplicates = honorsDuplicates
    self.honorsSolicitedServices = honorsSolicitedServices
    self.admitsOpenScans = admitsOpenScans
    self.tellsConnectionEvents = tellsConnectionEvents
  }

  /// A scan as it is done; nil for one that finds nothing.
  func admitted(_ scan: Scan) -> Scan? {
    var scan = scan
    if !honorsDuplicates { scan.allowDuplicates = false }
    if !honorsSolicitedServices { scan.solicitedServices = [] }
    return scan.services.isEmpty && !admitsOpenScans ? nil : scan
  }
}
