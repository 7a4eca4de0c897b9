/// A descriptor's value as CoreBluetooth types it: text for 2901 and 2905, a number for 2900, 2902 and 2903, else bytes.
public enum DescriptorValue: Hashable, Sendable {
  case bytes([UInt8])
  case text(String)
  case number(Int)
}

extension DescriptorValue {
  /// As on air: text in UTF-8, numbers as 16 bits, little endian.
  public var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .text(let text): Array(text.utf8)
    case .number(let number): [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
  }
}
