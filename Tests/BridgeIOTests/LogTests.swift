import BridgeIO
import Glibc
import Testing

@Suite struct LogTests {
  /// Each line once wrapped the sink in one more closure: memory grew, and at last the stack was not enough to call it.
  @Test func theThousandthLineNeedsNoMoreStackThanTheTenth() async {
    await #expect(processExitsWith: .exitCode(17)) {
      let depths = Lock<[UInt]>([])
      Log.setSink { _, _, _ in
        var here: UInt8 = 0
        let depth = withUnsafePointer(to: &here) { UInt(bitPattern: $0) }
        depths.withLock { $0.append(depth) }
      }
      for _ in 0..<1000 { Log.error("test", "a line") }
      let seen = depths.withLock { $0 }
      exit(seen.count == 1000 && seen[9] == seen[999] ? 17 : 1)
    }
  }
}
