import BridgeIO
import BridgeProtocol

/// A peripheral with what its radio keeps of it.
@BridgeQueue
final class VirtualDevice {
  let peripheral: any VirtualPeripheral
  var revision: UInt64
  var link: VirtualLink?
  /// Once connected to, its own name counts, not the advertised one.
  var wasConnected = false
  /// As last reported; nil if never.
  var reportedName: String?
  /// When it advertises next, in ticks of the advertiser.
  var dueTick = 0
  /// It is out of the world, though a round of reports may still have it.
  var isRemoved = false
  private var knownTable: VirtualTable?

  private let addsConfigurations: Bool

  init(_ peripheral: any VirtualPeripheral, revision: UInt64, addsConfigurations: Bool) {
    self.peripheral = peripheral
    self.revision = revision
    self.addsConfigurations = addsConfigurations
  }

  /// Made when first needed: most devices are never connected to.
  var table: VirtualTable {
    if let knownTable { return knownTable }
    let table = VirtualTable(peripheral.services, addsConfigurations: addsConfigurations)
    knownTable = table
    return table
  }

  /// - Returns: handles of services that are no more.
  func replaceTable() -> [UInt16] {
    knownTable?.replace(with: peripheral.services, addsConfigurations: addsConfigurations) ?? []
  }

  /// The advertised name, until the device has told its own.
  var name: String? {
    guard !wasConnected, let advertisement = peripheral.advertisement else { return peripheral.name }
    return advertisement.localName
  }
}
