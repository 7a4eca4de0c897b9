/// Answered by `didStartAdvertising`.
public struct StartAdvertising: RequestBody {
  static let type: StaticString = "startAdvertising"

  public var advertisement: AdvertisementData

  public init(advertisement: AdvertisementData) {
    self.advertisement = advertisement
  }

  init(_ fields: MessageFields) throws(FieldError) {
    advertisement = AdvertisementData()
    if let adv = try fields.object("adv") {
      do { advertisement = try AdvertisementData(toAdvertise: adv) } catch { throw error.inside("adv") }
    }
    // Everyone who scans gets it.
    guard advertisement.length <= AdvertisementData.maximumLength else {
      throw FieldError("adv", .unsuitable("more than the \(AdvertisementData.maximumLength) bytes of an advertisement"))
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("adv")
    writer.advertisement(advertisement, spelling: UUIDSpelling())
  }
}
