import Glibc

/// A peer sent a line longer than it may.
public struct LineTooLong: Error, Hashable, CustomStringConvertible {
  /// Bytes.
  public var limit: Int
  public init(limit: Int) { self.limit = limit }
  public var description: String { "a line of more than \(limit) bytes" }
}

/// Cuts a stream of bytes into lines: bytes in at one end, whole lines out at the other.
///
/// Each byte is looked at once, however small the pieces are in which a long line comes.
public struct LineFramer {
  /// Bytes a line may have, its end not counted.
  public let maximumLine: Int
  private var buffer: [UInt8] = []
  /// Where the first line not yet handed out begins.
  private var start = 0
  /// How far line ends have been searched.
  private var searched = 0

  /// Capacity above this is given back once it is not needed.
  private static let keptCapacity = 256 << 10

  public init(maximumLine: Int) { self.maximumLine = maximumLine }

  /// Bytes that belong to no line handed out.
  public var pendingBytes: Int { buffer.count - start }

  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    compact()
    buffer.append(contentsOf: bytes)
  }

  /// Takes out the next line that is not empty; `line` reads its bytes, until the next `append`.
  public mutating func next() throws(LineTooLong) -> Range<Int>? {
    while let end = nextLineEnd() {
      let range = start..<(end > start && buffer[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
      start = end + 1
      if range.count > maximumLine { throw LineTooLong(limit: maximumLine) }
      if !range.isEmpty { return range }
    }
    if pendingBytes > maximumLine { throw LineTooLong(limit: maximumLine) }
    return nil
  }

  public func withLine<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    buffer.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  private mutating func nextLineEnd() -> Int? {
    let from = searched
    let found = buffer.withUnsafeBytes { bytes -> Int? in
      guard from < bytes.count, let base = bytes.baseAddress,
        let hit = memchr(base + from, CInt(UInt8(ascii: "\n")), bytes.count - from)
      else { return nil }
      return UnsafeRawPointer(hit) - base
    }
    searched = found.map { $0 + 1 } ?? buffer.count
    return found
  }

  /// Forgets lines handed out, at a cost that the bytes forgotten have paid for.
  private mutating func compact() {
    guard start > 0, start == buffer.count || start > buffer.count / 2 else { return }
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
    } else {
      buffer.removeSubrange(..<start)
    }
    searched -= start
    start = 0
  }
}
