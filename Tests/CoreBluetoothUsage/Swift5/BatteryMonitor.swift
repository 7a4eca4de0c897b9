// As apps are written, not as this project is.
// swift-format-ignore-file

import CoreBluetooth
import Observation

// As a battery monitor for Apple's platforms is written.

@Observable
class BluetoothManager: NSObject {
  static let shared = BluetoothManager()

  static let batteryServices: [CBUUID] = [
    CBUUID(string: "1800"), CBUUID(string: "1801"), CBUUID(string: "180A"), CBUUID(string: "1812"),
    CBUUID(string: "180F"),
  ]

  static let batteryCharacteristics: [CBUUID] = [
    CBUUID(string: "2A19"), CBUUID(string: "2BED"), CBUUID(string: "2BEC"),
  ]

  var isBluetoothEnabled = false
  var discoveredPeripherals: [CBPeripheral] = []
  var connectedPeripherals: [CBPeripheral] = []
  private var manager: CBCentralManager!
  var monitored: [MonitoredPeripheral] = []

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func retrieveConnectedPeripherals() {
    let list: [CBPeripheral] = {
      manager.retrieveConnectedPeripherals(withServices: BluetoothManager.batteryServices)
    }()
    for peripheral in list where !connectedPeripherals.contains(peripheral) {
      connectedPeripherals.append(peripheral)
      print("\(peripheral.name ?? "Unknown") state: \(peripheral.state.rawValue) \(peripheral.identifier)")
    }
  }

  func connect(peripheral: CBPeripheral) {
    manager.stopScan()
    manager.connect(peripheral, options: nil)
  }

  func disconnect(peripheral: CBPeripheral) {
    manager.cancelPeripheralConnection(peripheral)
    manager.scanForPeripherals(withServices: BluetoothManager.batteryServices, options: nil)
  }

  func has(peripheral: CBPeripheral) -> Bool { monitored.contains(where: { $0.peripheral == peripheral }) }
}

extension BluetoothManager: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn {
      isBluetoothEnabled = true
      manager.scanForPeripherals(withServices: BluetoothManager.batteryServices, options: nil)
      let options = [CBConnectionEventMatchingOption.serviceUUIDs: BluetoothManager.batteryServices]
      manager.registerForConnectionEvents(options: options)
      self.retrieveConnectedPeripherals()
    } else {
      isBluetoothEnabled = false
    }
    print("\(#function) state: \(central.state)")
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    if event == .peerConnected {
      if !connectedPeripherals.contains(peripheral) { connectedPeripherals.append(peripheral) }
    }
    print("\(event) \(peripheral.identifier)")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if !discoveredPeripherals.contains(peripheral) {
      discoveredPeripherals.append(peripheral)
      print("\(peripheral.name ?? "Unknown") \(RSSI) \(peripheral.identifier)")
    }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    if !self.has(peripheral: peripheral) { self.monitored.append(MonitoredPeripheral(peripheral: peripheral)) }
    peripheral.discoverServices(BluetoothManager.batteryServices)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    print(error?.localizedDescription ?? "")
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    print(error?.localizedDescription ?? "Succeeded")
  }
}

@Observable
class MonitoredPeripheral: NSObject, CBPeripheralDelegate {
  var peripheral: CBPeripheral!
  var updateView: Bool = false

  init(peripheral: CBPeripheral) {
    super.init()
    self.peripheral = peripheral
    self.peripheral.delegate = self
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    peripheral.services?.forEach { service in
      peripheral.discoverCharacteristics(BluetoothManager.batteryCharacteristics, for: service)
      print("\(service.uuid) \(service.description)")
    }
    self.updateView.toggle()
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    service.characteristics?.forEach { characteristic in
      var level: [Int] = []
      if BluetoothManager.batteryCharacteristics.contains(characteristic.uuid) {
        level = characteristic.value?.map { Int($0) } ?? [-1]
      }
      if characteristic.isNotifying {
        peripheral.setNotifyValue(true, for: characteristic)
      } else {
        peripheral.readValue(for: characteristic)
      }
      print("\(characteristic.uuid) \(level) :\(characteristic.description)")
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    print("\(peripheral.name ?? "Unknown") \(error?.localizedDescription ?? "Succeeded")")
  }
}
