import Foundation

/// The value of a Temperature Measurement.
public struct Temperature: Hashable, Sendable {
  public var celsius: Double

  public init(celsius: Double) { self.celsius = celsius }

  /// Flags, then an IEEE 11073 FLOAT: 24 bits of mantissa, 8 of exponent, base 10.
  public init?(_ data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count >= 5 else { return nil }
    let mantissa = Int32(bitPattern: UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24) >> 8
    // Not a number, too large, too small, reserved.
    guard abs(mantissa) < 0x7FFFFE else { return nil }
    let value = Double(mantissa) * pow(10, Double(Int8(bitPattern: bytes[4])))
    let isFahrenheit = bytes[0] & 1 != 0
    celsius = isFahrenheit ? (value - 32) / 1.8 : value
  }

  /// In tenths of a degree Celsius.
  public var data: Data {
    let tenths = UInt32(bitPattern: Int32((celsius * 10).rounded()))
    return Data([
      0, UInt8(truncatingIfNeeded: tenths), UInt8(truncatingIfNeeded: tenths >> 8),
      UInt8(truncatingIfNeeded: tenths >> 16), 0xFF,
    ])
  }
}
