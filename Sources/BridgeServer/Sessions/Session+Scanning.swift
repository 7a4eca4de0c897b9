import BridgeIO
import BridgeProtocol
import Radio

extension Session {
  /// Replaces the scan: everything is reported again.
  func startScan(_ request: Scan) {
    guard let request = server.switches.admitted(request) else { return endScan() }
    channel.dropReplaceable()
    scan = SessionScan(request)
    for world in worlds { world.scans.start(self) }
  }

  func stopScan() {
    endScan()
    if let hello { _ = server.scanMemory.take(for: hello) }
  }

  func endScan() {
    guard scan != nil else { return }
    channel.dropReplaceable()
    scan = nil
    for world in worlds { world.scans.stop(self) }
  }

  /// A client that comes back scans on, see `ScanMemory`.
  func resumeScan() {
    guard scan == nil, let hello, let remembered = server.scanMemory.take(for: hello) else { return }
    Log.info("session", "\(name): its scan goes on")
    startScan(remembered)
  }
}
