// Keys of the emulator's design that Apple's framework does not have. The virtual air has no PHYs: they are accepted and
// have no effect.

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CBAdvertisementDataExtendedKey: String = "kCBAdvDataExtended"

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CBAdvertisementDataPrimaryPHYKey: String = "kCBAdvDataPrimaryPHY"

/// A physical layer of Bluetooth LE.
public enum CBPHY: Int, Sendable, CaseIterable {
  case le1M = 1
  case le2M = 2
  case leCoded = 3
}
