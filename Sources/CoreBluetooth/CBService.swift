import Foundation

/// A service, remote or local.
open class CBService: CBAttribute {
  package struct State {
    weak var peripheral: CBPeripheral?
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
  }

  private let primary: Bool
  private let serviceState: Guarded<State>

  package init(uuid: CBUUID, isPrimary: Bool, peripheral: CBPeripheral?, wireID: String?) {
    primary = isPrimary
    serviceState = Guarded(State(peripheral: peripheral))
    super.init(uuid: uuid, wireID: wireID)
  }

  /// nil for a local service.
  weak open var peripheral: CBPeripheral? { serviceState[\.peripheral] }

  open var isPrimary: Bool { primary }

  /// nil until discovered.
  open var includedServices: [CBService]? { serviceState[\.includedServices] }

  /// nil until discovered.
  open var characteristics: [CBCharacteristic]? { serviceState[\.characteristics] }

  package func set(includedServices: [CBService]?) { serviceState[\.includedServices] = includedServices }

  package func set(characteristics: [CBCharacteristic]?) { serviceState[\.characteristics] = characteristics }

  open override var description: String {
    Description(self, ["isPrimary = \(Description.of(isPrimary))", "UUID = \(uuid)"]).text
  }
}
