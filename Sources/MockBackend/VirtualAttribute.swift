public import BridgeProtocol
public import Radio

/// One characteristic or descriptor of a virtual peripheral's attribute table.
public final class VirtualAttribute: Sendable {
  /// Where a peripheral finds it in its own list of services; the descriptor is nil for a characteristic itself.
  public struct Place: Hashable, Sendable {
    public var service: Int
    public var characteristic: Int
    public var descriptor: Int?

    public init(service: Int, characteristic: Int, descriptor: Int? = nil) {
      self.service = service
      self.characteristic = characteristic
      self.descriptor = descriptor
    }
  }

  /// As the radio's users name it: that of a characteristic's declaration, or of a descriptor.
  public let handle: AttributeHandle
  public let uuid: BluetoothUUID
  public let place: Place
  /// That of a descriptor is its characteristic's.
  public let properties: CharacteristicProperties
  public let readSecurity: MockSecurityLevel
  public let writeSecurity: MockSecurityLevel
  public let notifySecurity: MockSecurityLevel
  public let maximumLength: Int
  /// The characteristic's own, or that of the one that a descriptor describes.
  public let characteristic: AttributeHandle
  public var isDescriptor: Bool { place.descriptor != nil }
  let isWritableDescriptor: Bool
  /// 2902, which is the link's business.
  let isConfiguration: Bool

  init(_ characteristic: VirtualCharacteristic, handle: AttributeHandle, place: Place) {
    self.handle = handle
    uuid = characteristic.uuid
    self.place = place
    properties = characteristic.properties
    readSecurity = characteristic.readSecurity
    writeSecurity = characteristic.writeSecurity
    notifySecurity = characteristic.notifySecurity
    maximumLength = characteristic.maximumLength
    self.characteristic = handle
    isWritableDescriptor = false
    isConfiguration = false
  }

  init(_ descriptor: VirtualDescriptor, of owner: VirtualAttribute, handle: AttributeHandle, position: Int) {
    self.handle = handle
    uuid = descriptor.uuid
    place = Place(service: owner.place.service, characteristic: owner.place.characteristic, descriptor: position)
    properties = owner.properties
    readSecurity = .none
    writeSecurity = .none
    notifySecurity = owner.notifySecurity
    maximumLength = ProtocolLimits.maximumValueLength
    characteristic = owner.handle
    isWritableDescriptor = descriptor.isWritable
    isConfiguration = descriptor.uuid == .clientCharacteristicConfiguration
  }
}
