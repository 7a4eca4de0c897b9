import CoreBluetooth

/// Connects to "Device 0" and discovers its first service.
class DeviceBenchmark: Benchmark, CBPeripheralDelegate {
  private(set) var peripheral: CBPeripheral?

  override func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard name(of: peripheral, advertisementData) == "Device 0", self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  private func name(of peripheral: CBPeripheral, _ advertisement: [String: Any]) -> String? {
    advertisement[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
  }

  override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { fail("no service") }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { isReady(service.characteristics ?? []) }

  func isReady(_ characteristics: [CBCharacteristic]) {}

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
  }
}

final class ReadBenchmark: DeviceBenchmark {
  private let count: Int
  private var times: [Double] = []
  private var begun = 0.0

  init(count: Int) { self.count = count }

  override func isReady(_ characteristics: [CBCharacteristic]) { read(characteristics[0]) }

  private func read(_ characteristic: CBCharacteristic) {
    begun = now
    peripheral?.readValue(for: characteristic)
  }

  override func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    times.append(now - begun)
    guard error == nil, characteristic.value?.count == 20 else { fail("a read failed: \(String(describing: error))") }
    if times.count == count { finish(times.sorted()[count / 2] * 1e6) }
    read(characteristic)
  }
}

final class NotifyBenchmark: DeviceBenchmark {
  private let seconds: Double
  private var expected: [UInt32]
  private var count = 0
  private var begun = 0.0
  private var counting = false
  private var processor = 0.0
  private var memory = 0.0

  init(characteristics: Int, seconds: Double) {
    self.seconds = seconds
    expected = Array(repeating: 0, count: characteristics)
  }

  override func isReady(_ characteristics: [CBCharacteristic]) {
    guard characteristics.count == expected.count else { fail("other characteristics than expected") }
    for characteristic in characteristics { peripheral?.setNotifyValue(true, for: characteristic) }
    begun = now
  }

  override func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value, value.count == 20 else { fail("a notification without a value") }
    // Four bytes that say which, then the number.
    let (which, number) = value.withUnsafeBytes {
      (Int($0.loadUnaligned(as: UInt32.self)), $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }
    guard number == expected[which] else { fail("a notification was lost or came out of order") }
    expected[which] += 1
    count += 1
    guard count % 100 == 0 else { return }
    let elapsed = now - begun
    if !counting, elapsed > 1 {
      // It is in its stride.
      (counting, count, begun, processor, memory) = (true, 0, now, processorTime, residentKilobytes)
    } else if counting, elapsed > seconds {
      finish(Double(count) / elapsed, (processorTime - processor) / Double(count) * 1e6, residentKilobytes - memory)
    }
  }
}
