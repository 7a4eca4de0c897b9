/// Services are no longer valid; maybe none, then only new ones came.
public struct DidModifyServices: EventBody {
  static let type: StaticString = "didModifyServices"

  public var id: PeripheralIdentifier
  public var serviceIds: [String]

  public init(id: PeripheralIdentifier, serviceIds: [String] = []) {
    self.id = id
    self.serviceIds = serviceIds
  }

  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    serviceIds = try fields.strings("serviceIds")
  }

  func write(to writer: inout JSONWriter, for features: Features) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("serviceIds")
    writer.strings(serviceIds)
  }
}
