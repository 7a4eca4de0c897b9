/// Reads hex digits in either case, most significant first.
struct HexDigits {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func read(_ count: Int) -> UInt64? {
    guard position + count <= bytes.count else { return nil }
    var value: UInt64 = 0
    for index in position..<position + count {
      guard let digit = hexValue(bytes[index]) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    position += count
    return value
  }

  /// Eight, four, four, four and twelve digits with hyphens between them.
  mutating func read128() -> (high: UInt64, low: UInt64)? {
    guard let a = read(8), hyphen(), let b = read(4), hyphen(), let c = read(4), hyphen(), let d = read(4), hyphen(),
      let e = read(12)
    else { return nil }
    return (a << 32 | b << 16 | c, d << 48 | e)
  }

  private mutating func hyphen() -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "-") else { return false }
    position += 1
    return true
  }
}

func hexValue(_ character: UInt8) -> UInt8? {
  let digit = character &- UInt8(ascii: "0")
  if digit < 10 { return digit }
  let letter = (character | 0x20) &- UInt8(ascii: "a")
  return letter < 6 ? letter + 10 : nil
}

private func hexDigit(_ value: UInt64) -> UInt8 {
  let digit = UInt8(truncatingIfNeeded: value & 15)
  return digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "A") &+ digit &- 10
}

/// Appends the lowest `digits` hex digits of `value`, upper case.
func appendHex(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
  for index in 0..<digits { bytes.append(hexDigit(value >> UInt64((digits - 1 - index) * 4))) }
}

/// Appends 36 characters, upper case.
func appendHex128(_ high: UInt64, _ low: UInt64, to bytes: inout [UInt8]) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
    var position = 0
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 {
        text[position] = UInt8(ascii: "-")
        position += 1
      }
      text[position] = hexDigit((index < 16 ? high : low) >> UInt64((15 - index & 15) * 4))
      position += 1
    }
    bytes.append(contentsOf: UnsafeBufferPointer(text))
  }
}

func hexText128(_ high: UInt64, _ low: UInt64) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(36)
  appendHex128(high, low, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
