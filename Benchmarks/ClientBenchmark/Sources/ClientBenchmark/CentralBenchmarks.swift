import CoreBluetooth

final class DiscoverBenchmark: Benchmark {
  private let count: Int
  private var peripherals: Set<CBPeripheral> = []
  private var begun = 0.0
  private var before = 0.0

  init(count: Int) { self.count = count }

  override func centralManagerDidUpdateState(_ central: CBCentralManager) {
    begun = now
    before = residentKilobytes
    super.centralManagerDidUpdateState(central)
  }

  override func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    guard peripherals.insert(peripheral).inserted else { fail("a peripheral was told twice") }
    guard peripherals.count == count else { return }
    finish((now - begun) * 1000, (residentKilobytes - before) / Double(count))
  }
}

final class ManagersBenchmark: Benchmark {
  private let count: Int
  private var managers: [CBCentralManager] = []
  private var before = 0.0

  init(count: Int) { self.count = count }

  /// Each is made when the one before is on; the first brings what all share.
  override func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    managers.append(central)
    if managers.count == 1 { before = residentKilobytes }
    if managers.count > count { finish((residentKilobytes - before) / Double(count)) }
    next = CBCentralManager(delegate: self, queue: queue)
  }

  private var next: CBCentralManager?
}
