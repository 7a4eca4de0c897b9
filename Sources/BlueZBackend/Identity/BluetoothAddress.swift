/// A Bluetooth LE device address: 48 bits and whether they are public or random.
///
/// - Source: Core Specification Vol 6, Part B, 1.3; BlueZ `doc/org.bluez.Device.rst`, `Address`, `AddressType`.
struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
  /// The raw values are the kernel's `BDADDR_LE_PUBLIC` and `BDADDR_LE_RANDOM`.
  enum Kind: UInt8, Sendable {
    case lePublic = 1
    case leRandom = 2

    /// Reads `public` or `random`, as `AddressType` spells them.
    init?(bluezName: String) {
      switch bluezName {
      case "public": self = .lePublic
      case "random": self = .leRandom
      default: return nil
      }
    }
  }

  /// The 48 bits, the octet written first most significant.
  let value: UInt64
  let kind: Kind

  init(value: UInt64, kind: Kind) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Reads `AA:BB:CC:DD:EE:FF` in either case; nil for anything else.
  init?(_ text: some StringProtocol, _ kind: Kind) {
    guard text.utf8.count == 17 else { return nil }
    var value: UInt64 = 0
    for (index, character) in text.utf8.enumerated() {
      if index % 3 == 2 {
        guard character == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = hexDigit(character) else { return nil }
        value = value << 4 | UInt64(digit)
      }
    }
    self.init(value: value, kind: kind)
  }

  /// Reads the two properties of `Device1` or `Adapter1`.
  init?(address: String?, addressType: String?) {
    guard let address, let addressType, let kind = Kind(bluezName: addressType) else { return nil }
    self.init(address, kind)
  }

  /// Six octets as the kernel's `bdaddr_t` has them: least significant first.
  init(kernelBytes bytes: some Sequence<UInt8>, kind: Kind) {
    var value: UInt64 = 0
    for (index, byte) in bytes.prefix(6).enumerated() { value |= UInt64(byte) << UInt64(index * 8) }
    self.init(value: value, kind: kind)
  }

  /// Six octets in the order of the kernel's `bdaddr_t`: least significant first.
  var kernelBytes: [UInt8] { (0..<6).map { octet($0) } }

  /// The octet at `index`, 0 the least significant.
  func octet(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }

  /// Upper case with colons.
  var text: String {
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for index in (0..<6).reversed() {
      let octet = octet(index)
      text.append(upperHexDigits[Int(octet >> 4)])
      text.append(upperHexDigits[Int(octet & 15)])
      if index > 0 { text.append(UInt8(ascii: ":")) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  var description: String { text }
}

private let upperHexDigits = Array("0123456789ABCDEF".utf8)

/// The value of a hexadecimal digit in either case.
func hexDigit(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  default: nil
  }
}
