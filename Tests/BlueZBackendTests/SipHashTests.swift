import Testing

@testable import BlueZBackend

@Suite struct SipHashTests {
  private let key = SipHash.Key(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

  /// The first vectors of the reference implementation's `vectors_sip128`: inputs 00, 00 01, …
  @Test func `the reference vectors come out`() {
    let empty = SipHash.hash([], key: key)
    #expect(empty.low == 0xE6A8_25BA_047F_81A3 && empty.high == 0x9302_55C7_1472_F66D)
    let one = SipHash.hash([0], key: key)
    #expect(one.low == 0x44AF_996B_D8C1_87DA && one.high == 0x45FC_229B_1159_7634)
  }

  @Test func `each input byte matters, whole words and rests alike`() {
    for count in 1...17 {
      let bytes = [UInt8](repeating: 0, count: count)
      let plain = SipHash.hash(bytes, key: key)
      for index in 0..<count {
        var other = bytes
        other[index] = 1
        let hash = SipHash.hash(other, key: key)
        #expect(hash.low != plain.low && hash.high != plain.high)
      }
    }
  }
}
