@preconcurrency import CoreBluetooth
import Observation

/// Finds the devices around that have a battery, and watches their levels.
@MainActor
@Observable
final class BatteryMonitor: NSObject {
  static let batteryService = CBUUID(string: "180F")

  private(set) var isBluetoothOn = false
  private(set) var batteries: [Battery] = []
  @ObservationIgnored private var central: CBCentralManager!

  override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: nil)
  }

  private func watch(_ peripheral: CBPeripheral) {
    if battery(of: peripheral) == nil { batteries.append(Battery(of: peripheral)) }
    if peripheral.state == .disconnected { central.connect(peripheral) }
  }

  private func battery(of peripheral: CBPeripheral) -> Battery? {
    batteries.first { $0.peripheral == peripheral }
  }
}

extension BatteryMonitor: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    isBluetoothOn = central.state == .poweredOn
    guard isBluetoothOn else {
      // No connection outlives that, and nothing else tells of it.
      for battery in batteries { battery.disconnected() }
      return
    }
    // Keyboards and the like are connected already, or will be by the system: they do not advertise then.
    central.registerForConnectionEvents(options: [.serviceUUIDs: [Self.batteryService]])
    central.retrieveConnectedPeripherals(withServices: [Self.batteryService]).forEach(watch)
    // Those from before Bluetooth was off.
    batteries.map(\.peripheral).forEach(watch)
    central.scanForPeripherals(withServices: [Self.batteryService])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) { watch(peripheral) }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { if event == .peerConnected { watch(peripheral) } }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    battery(of: peripheral)?.connected()
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    battery(of: peripheral)?.failed(error)
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [self] in watch(peripheral) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    battery(of: peripheral)?.disconnected()
    // Waits until the device is back.
    if central.state == .poweredOn { watch(peripheral) }
  }
}
