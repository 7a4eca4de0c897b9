/// A peripheral that an earlier run of the app held, and that is held for it still.
public struct RestoredPeripheral: Hashable, Sendable {
  public var id: PeripheralIdentifier
  /// Empty if there is none.
  public var name: String
  /// Else it is connecting.
  public var isConnected: Bool
  /// Those known of a connected one.
  public var services: [RestoredService]

  public init(id: PeripheralIdentifier, name: String, isConnected: Bool, services: [RestoredService] = []) {
    self.id = id
    self.name = name
    self.isConnected = isConnected
    self.services = services
  }
}

public struct RestoredService: Hashable, Sendable {
  public var service: DiscoveredService
  public var characteristics: [RestoredCharacteristic]

  public init(service: DiscoveredService, characteristics: [RestoredCharacteristic]) {
    self.service = service
    self.characteristics = characteristics
  }
}

public struct RestoredCharacteristic: Hashable, Sendable {
  public var characteristic: DiscoveredCharacteristic
  public var isNotifying: Bool

  public init(characteristic: DiscoveredCharacteristic, isNotifying: Bool) {
    self.characteristic = characteristic
    self.isNotifying = isNotifying
  }
}

extension RestoredPeripheral: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.peripheral()
    name = try fields.optionalString("name") ?? ""
    isConnected = try fields.bool("isConnected")
    services = try fields.objects("services", RestoredService.init)
  }

  func write(to writer: inout JSONWriter) {
    writer.key("id")
    writer.peripheral(id)
    writer.key("name")
    writer.string(name)
    writer.field("isConnected", isConnected)
    writer.key("services")
    writer.objects(services)
  }
}

extension RestoredService: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    service = try DiscoveredService(fields)
    characteristics = try fields.objects("characteristics", RestoredCharacteristic.init)
  }

  func write(to writer: inout JSONWriter) {
    service.write(to: &writer)
    writer.key("characteristics")
    writer.objects(characteristics)
  }
}

extension RestoredCharacteristic: MessageItem {
  init(_ fields: MessageFields) throws(FieldError) {
    characteristic = try DiscoveredCharacteristic(fields)
    isNotifying = try fields.bool("isNotifying")
  }

  func write(to writer: inout JSONWriter) {
    characteristic.write(to: &writer)
    writer.field("isNotifying", isNotifying)
  }
}
