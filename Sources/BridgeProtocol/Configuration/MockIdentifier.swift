/// The UUID that names a part of a configuration; not seen on the wire.
public struct MockIdentifier: Hashable, Sendable, CustomStringConvertible {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Not given.
  public static let none = MockIdentifier(high: 0, low: 0)

  init(_ peripheral: PeripheralIdentifier) { self.init(high: peripheral.high, low: peripheral.low) }

  /// The same for the same text, always: a version 8 UUID made of a 128-bit FNV-1a hash.
  public init(derivedFrom text: String) {
    var hash: (high: UInt64, low: UInt64) = (0x6C62_272E_07BB_0142, 0x62B8_2175_6295_C58D)
    for byte in text.utf8 {
      hash.low ^= UInt64(byte)
      // Times 2^88 + 0x13B.
      let product = hash.low.multipliedFullWidth(by: 0x13B)
      hash = (hash.high &* 0x13B &+ product.high &+ hash.low << 24, product.low)
    }
    self.init(
      high: hash.high & ~0xF000 | 0x8000, low: hash.low & ~(3 << 62) | 1 << 63)
  }

  /// Upper case, 36 characters.
  public var text: String { hexText128(high, low) }

  public var description: String { text }
}

extension PeripheralIdentifier {
  /// The same for the same text, always.
  public init(derivedFrom text: String) {
    let id = MockIdentifier(derivedFrom: text)
    self.init(high: id.high, low: id.low)
  }

  static let none = PeripheralIdentifier(high: 0, low: 0)
}
