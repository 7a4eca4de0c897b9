import BridgeIO
import BridgeProtocol
import Radio

/// A peripheral with what its radio keeps of it.
@BridgeQueue
final class VirtualDevice {
  let peripheral: any VirtualPeripheral
  /// Grows when it advertises something else or has another name.
  var revision: UInt64 { didSet { knownContent = nil } }
  var link: VirtualLink?
  /// Once connected to, its own name counts, not the advertised one.
  var wasConnected = false { didSet { knownContent = nil } }
  /// As last reported; nil if never.
  var reportedName: String?
  /// When it advertises next, in ticks of the advertiser.
  var dueTick = 0
  /// Whether its turn has come and it is to be reported.
  var isWaiting = false
  private var knownTable: VirtualTable?
  private var knownContent: AdvertisedContent?

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

  /// What it advertises; nil if nothing.
  ///
  /// - Parameter isLax: as ImpossiBLE's mock does: the table's services count as advertised.
  func content(isLax: Bool) -> AdvertisedContent? {
    if let knownContent { return knownContent }
    guard var data = peripheral.advertisement else { return nil }
    let services = isLax ? peripheral.services.map(\.uuid) : []
    if data.serviceUUIDs.isEmpty { data.serviceUUIDs = services }
    var advertisement = Advertisement(
      peripheral: peripheral.id, name: name, rssi: 127, data: data, revision: revision)
    advertisement.matchingServices = services
    let content = AdvertisedContent(advertisement)
    knownContent = content
    return content
  }

  /// The advertised name, until the device has told its own.
  var name: String? {
    guard !wasConnected, let advertisement = peripheral.advertisement else { return peripheral.name }
    return advertisement.localName
  }
}
