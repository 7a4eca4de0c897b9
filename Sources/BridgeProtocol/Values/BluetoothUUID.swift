/// A Bluetooth UUID: 16, 32 or 128 bits, compared by its 128-bit value whatever width it was written in.
///
/// - Source: Core Specification Vol 3, Part B, 2.5.1; Apple `CBUUID`.
public struct BluetoothUUID: Hashable, Sendable {
  /// The 128 bits, most significant half first.
  public let high: UInt64
  public let low: UInt64

  /// `xxxxxxxx-0000-1000-8000-00805F9B34FB`.
  static let baseHigh: UInt64 = 0x0000_1000
  static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A 16- or 32-bit UUID as the SIG assigns them.
  public init(short: UInt32) { self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow) }

  /// Reads 4, 8 or 36 characters of hex in either case, as `CBUUID(string:)` takes them; nil for anything else.
  public init?(_ text: some StringProtocol) {
    var digits = HexDigits(text)
    switch text.utf8.count {
    case 4, 8:
      guard let value = digits.read(text.utf8.count) else { return nil }
      self.init(short: UInt32(value))
    case 36:
      guard let value = digits.read128() else { return nil }
      self.init(high: value.high, low: value.low)
    default: return nil
    }
  }

  /// The short form's number if the UUID has one.
  public var short: UInt32? {
    low == Self.baseLow && high & 0xFFFF_FFFF == Self.baseHigh ? UInt32(high >> 32) : nil
  }

  /// Upper case, as short as the value allows: what CoreBluetooth shows for it.
  public var text: String {
    guard let short else { return fullText }
    return String(decoding: hexText(UInt64(short), digits: short > 0xFFFF ? 8 : 4), as: UTF8.self)
  }

  /// Upper case, 36 characters.
  public var fullText: String { String(decoding: hexText128(high, low), as: UTF8.self) }
}

extension BluetoothUUID: CustomStringConvertible {
  public var description: String { text }
}

/// Reads hex digits off a text, most significant first.
struct HexDigits<Text: StringProtocol> {
  private var rest: Text.UTF8View.Iterator

  init(_ text: Text) { rest = text.utf8.makeIterator() }

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

private func hexValue(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  default: nil
  }
}

private let upperHex = Array("0123456789ABCDEF".utf8)

func hexText(_ value: UInt64, digits: Int) -> [UInt8] {
  (0..<digits).map { upperHex[Int(value >> UInt64((digits - 1 - $0) * 4) & 15)] }
}

func hexText128(_ high: UInt64, _ low: UInt64) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(36)
  for index in 0..<32 {
    if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
    let half = index < 16 ? high : low
    text.append(upperHex[Int(half >> UInt64((15 - index % 16) * 4) & 15)])
  }
  return text
}
