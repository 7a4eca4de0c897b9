public import CCoreBluetooth
public import Foundation

/// A characteristic that the app publishes.
open class CBMutableCharacteristic: CBCharacteristic {
  private struct MutableState {
    var permissions: CBAttributePermissions
    var subscribedCentrals: [CBCentral] = []
  }

  private let mutableState: Guarded<MutableState>

  /// - Parameter value: what every read gets, of a characteristic that can only be read; nil to be asked at each read.
  ///   Ends the process for a value together with other properties, where Apple's raises an exception.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    mutableState = Guarded(MutableState(permissions: permissions))
    super.init(uuid: UUID, properties: properties, value: value, service: nil, wireID: nil)
    checkCachedValue()
  }

  /// A value that the system answers reads with cannot be one that changes.
  func checkCachedValue() {
    guard value != nil else { return }
    let writeable: CBAttributePermissions = [.writeable, .writeEncryptionRequired]
    if !properties.subtracting([.read, .broadcast, .extendedProperties]).isEmpty
      || !permissions.isDisjoint(with: writeable)
    {
      Misuse.raise("NSInternalInconsistencyException", "Characteristics with cached values must be read-only")
    }
  }

  open var permissions: CBAttributePermissions {
    get { mutableState[\.permissions] }
    set { mutableState[\.permissions] = newValue }
  }

  /// Centrals that now get this characteristic's updates.
  open var subscribedCentrals: [CBCentral]? { mutableState[\.subscribedCentrals] }

  package func set(subscribedCentrals: [CBCentral]) { mutableState[\.subscribedCentrals] = subscribedCentrals }

  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set { set(properties: newValue) }
  }

  open override var value: Data? {
    get { super.value }
    set { set(value: newValue) }
  }

  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set {
      let former = super.descriptors ?? []
      set(descriptors: newValue)
      for descriptor in former where descriptor.characteristic === self { descriptor.set(characteristic: nil) }
      for descriptor in newValue ?? [] { descriptor.set(characteristic: self) }
    }
  }
}
