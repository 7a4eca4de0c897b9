import BridgeIO
import BridgeProtocol

/// The scans of clients that went away scanning. ImpossiBLE's client does not repeat its scan when it comes back, although
/// its app believes to be scanning.
@BridgeQueue
final class ScanMemory {
  private struct Client: Hashable {
    var pid: Int
    var bundleId: String
  }

  private let duration: Duration
  private var scans: [Client: (scan: Scan, until: ContinuousClock.Instant)] = [:]
  private static let capacity = 256

  init(duration: Duration) { self.duration = duration }

  func remember(_ scan: Scan, of hello: Hello?) {
    guard let client = Self.client(hello) else { return }
    forgetOld()
    if scans.count < Self.capacity { scans[client] = (scan, .now + duration) }
  }

  /// The scan with which the same process went; once.
  func take(for hello: Hello) -> Scan? {
    forgetOld()
    return Self.client(hello).flatMap { scans.removeValue(forKey: $0) }?.scan
  }

  private func forgetOld() { scans = scans.filter { $0.value.until > .now } }

  private static func client(_ hello: Hello?) -> Client? {
    // Who knows of features knows what it has lost.
    guard hello?.features == nil, let pid = hello?.pid, let bundleId = hello?.bundleId else { return nil }
    return Client(pid: pid, bundleId: bundleId)
  }
}
