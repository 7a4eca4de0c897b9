import Foundation

/// A descriptor of a characteristic, remote or local.
open class CBDescriptor: CBAttribute {
  private struct State {
    weak var characteristic: CBCharacteristic?
    var value: Any?
  }

  private let descriptorState: Guarded<State>

  package init(uuid: CBUUID, value: Any? = nil, characteristic: CBCharacteristic?, wireID: String?) {
    descriptorState = Guarded(State(characteristic: characteristic, value: value))
    super.init(uuid: uuid, wireID: wireID)
  }

  weak open var characteristic: CBCharacteristic? { descriptorState[\.characteristic] }

  /// A `String` for 2901, an `NSNumber` for 2900, 2902 and 2903, `Data` for others; nil until read.
  open var value: Any? { descriptorState[\.value] }

  package func set(characteristic: CBCharacteristic?) { descriptorState[\.characteristic] = characteristic }

  package func set(value: Any?) { descriptorState[\.value] = value }

  open override var description: String {
    let shown =
      switch value {
      case let data as Data: Description.of(data)
      case let value?: "\(value)"
      case nil: "(null)"
      }
    return Description(self, ["UUID = \(uuid)", "value = \(shown)"]).text
  }
}
