import CoreBluetooth

/// A benchmark, as the delegate of its manager.
class Benchmark: NSObject, CBCentralManagerDelegate {
  private(set) var manager: CBCentralManager!

  func start() { manager = CBCentralManager(delegate: self, queue: queue) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {}

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { fail("the link was lost: \(String(describing: error))") }
}

func run(_ benchmark: Benchmark) -> Never {
  benchmark.start()
  dispatchMain()
}

/// Prints numbers and ends the process.
func finish(_ numbers: Double...) -> Never {
  print(numbers.map { String(format: "%.3f", $0) }.joined(separator: " "))
  exit(0)
}

func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("ClientBenchmark: \(reason)\n".utf8))
  exit(1)
}

/// Seconds on a clock that only grows.
var now: Double { seconds(CLOCK_MONOTONIC) }

/// Seconds of processor time of this process.
var processorTime: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

private func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Kilobytes of memory in use now.
var residentKilobytes: Double {
  guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1] else {
    fail("no /proc/self/statm")
  }
  return Double(pages)! * Double(sysconf(Int32(_SC_PAGESIZE))) / 1024
}
