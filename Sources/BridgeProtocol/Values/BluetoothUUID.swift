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
    var text = String(text)
    guard let value = text.withUTF8(BluetoothUUID.init(utf8:)) else { return nil }
    self = value
  }

  /// The same from UTF-8.
  init?(utf8: UnsafeBufferPointer<UInt8>) {
    var digits = HexDigits(utf8)
    switch utf8.count {
    case 4, 8:
      guard let value = digits.read(utf8.count) else { return nil }
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
    var bytes: [UInt8] = []
    appendText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Upper case, 36 characters.
  public var fullText: String { hexText128(high, low) }

  /// Appends `text` as UTF-8.
  func appendText(to bytes: inout [UInt8]) {
    guard let short else { return appendHex128(high, low, to: &bytes) }
    appendHex(UInt64(short), digits: short > 0xFFFF ? 8 : 4, to: &bytes)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  public var description: String { text }
}
