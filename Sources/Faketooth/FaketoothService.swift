public import CoreBluetooth

/// A service of a simulated peripheral.
///
/// `@unchecked Sendable` is sound: what changes is behind a lock.
open class FaketoothService: NSObject, @unchecked Sendable {
  struct State { weak var peripheral: FaketoothPeripheral? }

  public let uuid: CBUUID
  public let isPrimary: Bool
  public let characteristics: [FaketoothCharacteristic]?
  /// Need not be among the peripheral's own.
  public let includedServices: [FaketoothService]?
  let state = Guarded(State())

  public init(
    uuid: CBUUID, isPrimary: Bool, characteristics: [FaketoothCharacteristic]? = nil,
    includedServices: [FaketoothService]? = nil
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.characteristics = characteristics
    self.includedServices = includedServices
    super.init()
    for characteristic in characteristics ?? [] { characteristic.state[\.service] = self }
  }

  open var peripheral: FaketoothPeripheral? { state[\.peripheral] }
}
