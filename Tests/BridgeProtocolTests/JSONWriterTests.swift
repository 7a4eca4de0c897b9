import BridgeProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  private func text(_ value: JSONValue) -> String { String(decoding: value.jsonLine(), as: UTF8.self) }

  @Test func everyKindOfValueIsWritten() {
    #expect(text(.null) == "null\n")
    #expect(text(.array([])) == "[]\n")
    #expect(text(.object([:])) == "{}\n")
    #expect(text(.array([.bool(true), .bool(false), .integer(0), .integer(-7)])) == "[true,false,0,-7]\n")
    #expect(
      text(.object(["b": .array([.object([:]), .array([])]), "a": .string("x")])) == #"{"a":"x","b":[{},[]]}"# + "\n")
  }

  @Test func numbersAreWrittenExactly() {
    #expect(text(.integer(.max)) == "9223372036854775807\n")
    #expect(text(.integer(.min)) == "-9223372036854775808\n")
    #expect(text(.double(808_912_345.678901)) == "808912345.678901\n")
    #expect(text(.double(.nan)) == "null\n")
    #expect(text(.double(.infinity)) == "null\n")
  }

  @Test func onlyWhatMustBeIsEscaped() {
    #expect(text(.string("a/b é€😀")) == "\"a/b é€😀\"\n")
    #expect(text(.string("\"\\\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}")) == #""\"\\\n\r\t\b\f\u0000\u001F"# + "\u{7F}\"\n")
  }

  @Test func aLineNeverHoldsALineEnd() {
    let line = JSONValue.object(["a\nb": .string("\n\r\n")]).jsonLine()
    #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
  }

  @Test(arguments: 0..<4)
  func foundationReadsWhatIsWritten(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let value = RandomJSON.value(depth: 4, using: &random)
      #expect(try DecodedByFoundation(json: value.jsonLine()).value.means(value))
      #expect(try JSONValue(json: value.jsonLine()).means(value))
    }
  }
}
