/// Random numbers that are the same in each run: all that a seed decides comes from here.
///
/// - Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// A sequence of its own for each peripheral, so that what one does never changes what another draws.
  public init(seed: UInt64, for peripheral: PeripheralIdentifier) {
    var mixer = SplitMix64(seed: seed)
    state = mixer.next() ^ peripheral.high
    state = next() ^ peripheral.low
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 to less than 1.
  public mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
