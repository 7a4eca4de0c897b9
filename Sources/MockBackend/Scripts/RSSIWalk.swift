import BridgeProtocol

/// How strongly a device is heard from one advertisement to the next.
struct RSSIWalk {
  private let range: ClosedRange<Int>
  private let variation: Int
  private var random: SplitMix64
  private var current: Int

  /// nil if nothing varies.
  init?(from rssi: Int, range: ClosedRange<Int>?, variation: Int?, random: SplitMix64) {
    guard range != nil || variation != nil else { return nil }
    let variation = variation ?? 5
    self.variation = variation
    // Without bounds it stays about where it is.
    self.range = range ?? max(-127, rssi - variation)...min(126, rssi + variation)
    self.random = random
    current = min(max(rssi, self.range.lowerBound), self.range.upperBound)
  }

  mutating func next() -> Int {
    defer {
      let step = variation == 0 ? 0 : Int.random(in: -variation...variation, using: &random)
      current = min(max(current + step, range.lowerBound), range.upperBound)
    }
    return current
  }
}
