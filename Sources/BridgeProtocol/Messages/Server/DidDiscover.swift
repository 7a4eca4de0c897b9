/// An advertisement that passed the client's filter.
public struct DidDiscover: EventBody {
  static let type: StaticString = "didDiscover"

  public var id: PeripheralIdentifier
  /// The peripheral's cached name, else the advertised one; empty if there is none.
  public var name: String
  /// dBm; 127 when not available.
  public var rssi: Int
  public var advertisement: AdvertisementData
  /// How the lists of `advertisement` are written: as the client's scan spelled them.
  public var spelling: UUIDSpelling

  public init(
    id: PeripheralIdentifier, name: String, rssi: Int, advertisement: AdvertisementData,
    spelling: UUIDSpelling = UUIDSpelling()
  ) {
    self.id = id
    self.name = name
    self.rssi = rssi
    self.advertisement = advertisement
    self.spelling = spelling
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    name = try fields.optionalString("name") ?? ""
    rssi = try fields.int("rssi")
    spelling = UUIDSpelling()
    advertisement = AdvertisementData()
    guard let adv = try fields.object("adv") else { return }
    do { advertisement = try AdvertisementData(adv, spelling: &spelling) } catch { throw error.inside("adv") }
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("name")
    writer.string(name)
    writer.key("rssi")
    writer.int(rssi)
    writer.key("adv")
    writer.advertisement(advertisement, spelling: spelling)
  }
}
