/// Reads hex digits in either case, most significant first.
struct HexDigits<Bytes: IteratorProtocol<UInt8>> {
  private var rest: Bytes

  init(_ bytes: Bytes) { rest = bytes }

  mutating func read(_ count: Int) -> UInt64? {
    var value: UInt64 = 0
    for _ in 0..<count {
      guard let digit = rest.next().flatMap(hexValue) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// Eight, four, four, four and twelve digits with hyphens between them.
  mutating func read128() -> (high: UInt64, low: UInt64)? {
    guard let a = read(8), hyphen(), let b = read(4), hyphen(), let c = read(4), hyphen(), let d = read(4), hyphen(),
      let e = read(12)
    else { return nil }
    return (a << 32 | b << 16 | c, d << 48 | e)
  }

  private mutating func hyphen() -> Bool { rest.next() == UInt8(ascii: "-") }
}

func hexValue(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  default: nil
  }
}

/// Appends the lowest `digits` hex digits of `value`, upper case.
func appendHex(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
  for index in 0..<digits {
    let digit = UInt8(truncatingIfNeeded: value >> UInt64((digits - 1 - index) * 4) & 15)
    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
  }
}

/// Appends 36 characters, upper case.
func appendHex128(_ high: UInt64, _ low: UInt64, to bytes: inout [UInt8]) {
  appendHex(high >> 32, digits: 8, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendHex(high >> 16, digits: 4, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendHex(high, digits: 4, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendHex(low >> 48, digits: 4, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendHex(low, digits: 12, to: &bytes)
}

func hexText128(_ high: UInt64, _ low: UInt64) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(36)
  appendHex128(high, low, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
