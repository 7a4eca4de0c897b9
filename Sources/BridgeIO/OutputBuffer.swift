/// Bytes on their way out: appended at one end, removed at the other.
struct OutputBuffer {
  var bytes: [UInt8] = []
  private var written = 0

  /// Capacity above this is given back once everything is written.
  private static let keptCapacity = 256 << 10

  var count: Int { bytes.count - written }
  var isEmpty: Bool { bytes.count == written }

  func withUnwritten<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
  }

  mutating func removeFirst(_ count: Int) {
    written += count
    if written == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
      written = 0
    } else if written > bytes.count / 2 {
      bytes.removeSubrange(..<written)
      written = 0
    }
  }
}
