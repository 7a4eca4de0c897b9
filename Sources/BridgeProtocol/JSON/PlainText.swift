/// Text that stands in a JSON string as it is.
enum PlainText {
  /// The first index from `start` on of a quote, a backslash, a control character or a byte past ASCII.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    let raw = UnsafeRawBufferPointer(bytes)
    while index + 8 <= bytes.count, isPlain(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) { index += 8 }
    while index < bytes.count, isPlain(bytes[index]) { index += 1 }
    return index
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Eight bytes at once; may call plain text not plain, never the reverse.
  private static func isPlain(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    // A byte's top bit is set by subtracting only if the byte was smaller, or after a borrow from such a byte.
    let flags = word | (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones)
    return flags & (ones &* 0x80) == 0
  }
}
