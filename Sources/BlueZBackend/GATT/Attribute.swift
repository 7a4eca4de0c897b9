import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// A characteristic or descriptor of a live link, as long as bluetoothd shows the same one.
@BridgeQueue
final class Attribute {
  enum Kind: Sendable { case characteristic, descriptor }

  /// How far a subscription is.
  enum Subscription {
    case off
    /// `StartNotify` is unanswered: values are held, so that the new state is told before them.
    case starting
    case on
  }

  let kind: Kind
  let path: ObjectPath
  let handle: AttributeHandle
  let uuid: BluetoothUUID
  /// UUID of the service around it.
  let service: BluetoothUUID
  /// Of a descriptor: none.
  let properties: CharacteristicProperties
  /// Whether a Client Characteristic Configuration descriptor is there to write to.
  let isConfigurable: Bool

  /// bluetoothd has taken the object back; calls on it would never be answered.
  var isRemoved = false
  var subscription = Subscription.off
  /// Values that arrived while `starting`, oldest first.
  var held: [[UInt8]] = []
  /// A `ReadValue` is unanswered while subscribed: the last value announced may be the read's own.
  var isBeingRead = false
  /// The last value announced during such a read.
  var possibleEcho: [UInt8]?
  /// Makes the calls on it.
  var calls: AttributeCalls

  init(
    kind: Kind, path: ObjectPath, handle: AttributeHandle, uuid: BluetoothUUID, service: BluetoothUUID,
    properties: CharacteristicProperties = [], isConfigurable: Bool = false
  ) {
    self.kind = kind
    self.path = path
    self.handle = handle
    self.uuid = uuid
    self.service = service
    self.properties = properties
    self.isConfigurable = isConfigurable
    calls = AttributeCalls(
      path: path, interface: kind == .characteristic ? GATTNames.characteristic : GATTNames.descriptor)
  }

  /// Whether `other`, announced later under the same path, is still this one.
  func isSame(as other: Attribute) -> Bool {
    !isRemoved && kind == other.kind && uuid == other.uuid && service == other.service
      && properties == other.properties && isConfigurable == other.isConfigurable
  }
}

extension BluetoothUUID {
  static let genericAccess = BluetoothUUID(short: 0x1800)
  static let genericAttribute = BluetoothUUID(short: 0x1801)
  static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}
