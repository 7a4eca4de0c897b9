/// SipHash-2-4 with 128 bits of output: a keyed hash that does not reveal its input to those without the key.
///
/// - Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"; test vectors of its reference implementation.
struct SipHash {
  struct Key: Hashable, Sendable {
    var low: UInt64
    var high: UInt64
  }

  private var v0: UInt64, v1: UInt64, v2: UInt64, v3: UInt64

  private init(_ key: Key) {
    v0 = key.low ^ 0x736f_6d65_7073_6575
    v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xEE
    v2 = key.low ^ 0x6c79_6765_6e65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  static func hash(_ bytes: [UInt8], key: Key) -> (low: UInt64, high: UInt64) {
    var state = SipHash(key)
    let whole = bytes.count - bytes.count % 8
    for start in stride(from: 0, to: whole, by: 8) { state.take(word(bytes[start..<start + 8])) }
    state.take(word(bytes[whole...]) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    state.v2 ^= 0xEE
    for _ in 0..<4 { state.round() }
    let low = state.fold
    state.v1 ^= 0xDD
    for _ in 0..<4 { state.round() }
    return (low, state.fold)
  }

  private static func word(_ littleEndian: ArraySlice<UInt8>) -> UInt64 {
    littleEndian.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private var fold: UInt64 { v0 ^ v1 ^ v2 ^ v3 }

  private mutating func take(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = rotated(v1, 13) ^ v0
    v3 = rotated(v3, 16) ^ v2
    v0 = rotated(v0, 32)
    v2 &+= v1
    v0 &+= v3
    v1 = rotated(v1, 17) ^ v2
    v3 = rotated(v3, 21) ^ v0
    v2 = rotated(v2, 32)
  }

  private func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
}
