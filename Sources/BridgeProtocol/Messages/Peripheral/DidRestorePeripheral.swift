/// What an earlier client of the same restore identifier had published, which is published again.
public struct DidRestorePeripheral: EventBody {
  static let type: StaticString = "didRestorePeripheral"

  public var services: [HostedService]
  /// nil if it did not advertise.
  public var advertisement: AdvertisementData?

  public init(services: [HostedService], advertisement: AdvertisementData? = nil) {
    self.services = services
    self.advertisement = advertisement
  }

  init(_ fields: MessageFields) throws(FieldError) {
    services = try fields.objects("services", HostedService.init)
    advertisement = nil
    if let adv = try fields.object("adv") {
      do { advertisement = try AdvertisementData(toAdvertise: adv) } catch { throw error.inside("adv") }
    }
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("services")
    writer.objects(services)
    if let advertisement {
      writer.key("adv")
      writer.advertisement(advertisement, spelling: UUIDSpelling())
    }
  }
}
