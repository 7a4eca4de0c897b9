import BridgeIO
import BridgeProtocol
import Radio

/// A peripheral that was heard while somebody scans: who has been told of it, and who is to be told of each repeat.
@BridgeQueue
final class Sighting {
  /// Of what was heard last.
  private(set) var revision: UInt64
  /// Of the scans for which `repeated` was found out.
  var generation: UInt64 = 0
  /// Who wants every advertisement like the last one.
  var repeated = SlotSet()
  /// Who knows of the last content.
  private var informed = SlotSet()
  /// Who knows of the peripheral.
  private var told = SlotSet()
  private var line: DiscoveryLine?

  init(_ advertisement: Advertisement) { revision = advertisement.revision }

  func update(to advertisement: Advertisement) {
    guard revision != advertisement.revision else { return }
    revision = advertisement.revision
    informed = SlotSet()
    line = nil
  }

  func isInformed(_ slot: Int) -> Bool { informed.contains(slot) }

  func isTold(_ slot: Int) -> Bool { told.contains(slot) }

  func inform(_ slot: Int) {
    informed.insert(slot)
    told.insert(slot)
  }

  func forget(_ slots: SlotSet) {
    informed.subtract(slots)
    told.subtract(slots)
  }

  /// The report as nearly everyone gets it, made once for all and kept for repeats.
  func line(of advertisement: Advertisement) -> DiscoveryLine {
    if let line { return line }
    let line = Self.line(of: advertisement, spelling: UUIDSpelling())
    self.line = line
    return line
  }

  static func line(of advertisement: Advertisement, spelling: UUIDSpelling) -> DiscoveryLine {
    DiscoveryLine(
      id: advertisement.peripheral, name: advertisement.name ?? advertisement.data.localName ?? "",
      advertisement: advertisement.data, spelling: spelling)
  }
}
