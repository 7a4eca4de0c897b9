/// A `DidDiscover` prepared for being sent with one signal strength after another: nothing else changes between repeats.
public struct DiscoveryLine: Sendable {
  private let beforeRSSI: [UInt8]
  private let afterRSSI: [UInt8]

  public init(
    id: PeripheralIdentifier, name: String, advertisement: AdvertisementData, spelling: UUIDSpelling = UUIDSpelling()
  ) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("type")
    writer.string(DidDiscover.type)
    writer.key("id")
    writer.peripheral(id)
    writer.key("name")
    writer.string(name)
    writer.key("rssi")
    beforeRSSI = writer.bytes
    writer.int(0)
    let count = writer.bytes.count
    writer.key("adv")
    writer.advertisement(advertisement, spelling: spelling)
    writer.endObject()
    afterRSSI = Array(writer.bytes[count...]) + [UInt8(ascii: "\n")]
  }

  /// Appends the whole line, LF included.
  ///
  /// - Parameter rssi: dBm; 127 when not available.
  public func append(rssi: Int, to line: inout [UInt8]) {
    line.append(contentsOf: beforeRSSI)
    line.appendDecimal(rssi)
    line.append(contentsOf: afterRSSI)
  }
}
