/// A descriptor's value as CoreBluetooth types it: text for 2901 and 2905, a number for 2900, 2902 and 2903, else bytes.
public enum DescriptorValue: Hashable, Sendable {
  case bytes([UInt8])
  case text(String)
  case number(Int)
}
