/// The record of traffic: the devices that saw any, the latest first. Feature `control`.
public struct DidReportDevices: EventBody {
  static let type: StaticString = "didReportDevices"

  public var devices: [DeviceActivity]

  public init(devices: [DeviceActivity]) { self.devices = devices }

  init(_ fields: MessageFields) throws(FieldError) {
    devices = try fields.objects("devices", DeviceActivity.init)
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("devices")
    writer.objects(devices)
  }
}
