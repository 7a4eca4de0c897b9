/// How one host names a peripheral: a UUID that is stable on this host and does not reveal the address.
///
/// - Source: Apple `CBPeer.identifier`.
public struct PeripheralIdentifier: Hashable, Sendable, CustomStringConvertible {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 36 characters in either case.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let value = text.withUTF8(PeripheralIdentifier.init(utf8:)) else { return nil }
    self = value
  }

  /// The same from UTF-8.
  init?(utf8: UnsafeBufferPointer<UInt8>) {
    var digits = HexDigits(utf8)
    guard utf8.count == 36, let value = digits.read128() else { return nil }
    self.init(high: value.high, low: value.low)
  }

  /// Upper case, 36 characters.
  public var text: String { hexText128(high, low) }

  public var description: String { text }
}
