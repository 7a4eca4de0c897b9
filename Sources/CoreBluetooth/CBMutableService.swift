import Foundation

/// A service that the app publishes.
open class CBMutableService: CBService {
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    super.init(uuid: UUID, isPrimary: isPrimary, peripheral: nil, wireID: nil)
  }

  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set { set(includedServices: newValue) }
  }

  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set {
      let former = super.characteristics ?? []
      set(characteristics: newValue)
      for characteristic in former where characteristic.service === self { characteristic.set(service: nil) }
      for characteristic in newValue ?? [] { characteristic.set(service: self) }
    }
  }
}
