import CoreBluetoothEmulator

/// A peripheral in the same process, called "Device 0": one characteristic, to be read or to notify as fast as it may.
final class Host: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private let characteristic: CBMutableCharacteristic
  private var number: UInt32 = 0

  init(notifies: Bool) {
    characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A6E"), properties: notifies ? .notify : .read,
      value: notifies ? nil : Data("twenty bytes of data".utf8), permissions: .readable)
    super.init()
    EmulatorBus.shared.configure(.instant)
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "host"))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "F000"), primary: true)
    service.characteristics = [characteristic]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { fail("no service: \(error)") }
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Device 0"])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { send() }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

  private func send() {
    while manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil) { number += 1 }
  }

  /// Of characteristic 0, see `NotifyBenchmark`.
  private var value: Data {
    var value = Data(count: 20)
    value.withUnsafeMutableBytes { $0.storeBytes(of: number, toByteOffset: 4, as: UInt32.self) }
    return value
  }
}
