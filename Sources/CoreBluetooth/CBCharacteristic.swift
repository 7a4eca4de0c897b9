public import CCoreBluetooth
public import Foundation

/// A characteristic, remote or local.
open class CBCharacteristic: CBAttribute {
  package struct State {
    weak var service: CBService?
    var properties: CBCharacteristicProperties
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
  }

  private let characteristicState: Guarded<State>

  package init(
    uuid: CBUUID, properties: CBCharacteristicProperties, value: Data? = nil, service: CBService?, wireID: String?
  ) {
    characteristicState = Guarded(State(service: service, properties: properties, value: value))
    super.init(uuid: uuid, wireID: wireID)
  }

  weak open var service: CBService? { characteristicState[\.service] }

  open var properties: CBCharacteristicProperties { characteristicState[\.properties] }

  open var value: Data? { characteristicState[\.value] }

  /// nil until discovered.
  open var descriptors: [CBDescriptor]? { characteristicState[\.descriptors] }

  @available(*, deprecated)
  open var isBroadcasted: Bool { false }

  open var isNotifying: Bool { characteristicState[\.isNotifying] }

  package func set(service: CBService?) { characteristicState[\.service] = service }

  package func set(properties: CBCharacteristicProperties) { characteristicState[\.properties] = properties }

  package func set(value: Data?) { characteristicState[\.value] = value }

  package func set(descriptors: [CBDescriptor]?) { characteristicState[\.descriptors] = descriptors }

  package func set(isNotifying: Bool) { characteristicState[\.isNotifying] = isNotifying }

  open override var description: String {
    Description(
      self,
      [
        "UUID = \(uuid)", "properties = 0x\(String(properties.rawValue, radix: 16, uppercase: true))",
        "value = \(Description.of(value))", "notifying = \(Description.of(isNotifying))",
      ]
    ).text
  }
}
