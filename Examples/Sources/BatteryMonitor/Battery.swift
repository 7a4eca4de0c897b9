@preconcurrency import CoreBluetooth
import Observation

/// One device's battery.
@MainActor
@Observable
final class Battery: NSObject {
  static let levelCharacteristic = CBUUID(string: "2A19")

  let peripheral: CBPeripheral
  private(set) var name: String
  private(set) var isConnected = false
  /// Percent; nil before the device has told it, and while it is not connected.
  private(set) var level: Int?
  private(set) var problem: String?

  init(of peripheral: CBPeripheral) {
    self.peripheral = peripheral
    name = peripheral.name ?? "Unnamed device"
    super.init()
    peripheral.delegate = self
  }

  func connected() {
    isConnected = true
    problem = nil
    name = peripheral.name ?? name
    peripheral.discoverServices([BatteryMonitor.batteryService])
  }

  func disconnected() {
    isConnected = false
    level = nil
  }

  func failed(_ error: (any Error)?) { problem = error?.localizedDescription }
}

extension Battery: @preconcurrency CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    failed(error)
    for service in peripheral.services ?? [] where service.uuid == BatteryMonitor.batteryService {
      peripheral.discoverCharacteristics([Self.levelCharacteristic], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    failed(error)
    for characteristic in service.characteristics ?? [] where characteristic.uuid == Self.levelCharacteristic {
      peripheral.readValue(for: characteristic)
      if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    failed(error)
    if error == nil, let percent = characteristic.value?.first { level = Int(percent) }
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { name = peripheral.name ?? name }
}
