import BridgeProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0) }
  }

  private func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64.encode(bytes, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func theVectorsOfTheSpecificationHold() {
    let vectors = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ]
    for (plain, coded) in vectors {
      #expect(encode(Array(plain.utf8)) == coded)
      #expect(decode(coded) == Array(plain.utf8))
    }
  }

  @Test(arguments: [
    "A", "AA", "AAA", "AA=", "A===", "====", "=AAA", "AA=A", "AAAA=", "AA==AAAA", "AAA ", "AA\n=", "AA-_", "AAAé",
    "AB==", "AAB=", "Zg==\n",
  ])
  func garbageIsRefused(_ text: String) { #expect(decode(text) == nil) }

  @Test func itAgreesWithFoundation() {
    var random = SplitMix64(seed: 64)
    for count in 0..<600 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Data(bytes).base64EncodedString()
      #expect(encode(bytes) == text)
      #expect(decode(text) == bytes)
    }
  }
}
