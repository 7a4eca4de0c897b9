import BridgeProtocol
import TestSupport
import Testing

@Suite struct JSONParserTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONValue(json: text.utf8) }

  private func reason(_ bytes: some Collection<UInt8>) -> JSONSyntaxError.Reason? {
    do throws(JSONValue.ParsingError) {
      _ = try JSONValue(json: bytes)
      return nil
    } catch {
      guard case .notJSON(let error) = error else { return nil }
      return error.reason
    }
  }

  @Test func everyKindOfValueIsRead() throws {
    let value = try parse(#" { "a" : [ null , true , false , -12 , 0.5 , 1e2 , "x" , [] , {} ] } "#)
    #expect(
      value
        == .object([
          "a": .array([
            .null, .bool(true), .bool(false), .integer(-12), .double(0.5), .double(100), .string("x"), .array([]),
            .object([:]),
          ])
        ]))
  }

  @Test func escapesAreUndone() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00""#) == .string("\"\\/\u{8}\u{C}\n\r\té€😀"))
    #expect(try parse(#"{"\u0074ype":1}"#)["type"] == .integer(1))
    #expect(try parse("\"raw é€😀\"") == .string("raw é€😀"))
    #expect(try parse(#""\u0000""#) == .string("\u{0}"))
  }

  @Test func theFirstOfRepeatedKeysCounts() throws {
    #expect(try parse(#"{"a":1,"a":2,"b":3}"#) == .object(["a": .integer(1), "b": .integer(3)]))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "\"", "\"a", "\"\\", "\"\\u12", "-",
    "1.", "1e", "t", "tru", "nul",
  ])
  func aTextThatEndsTooEarlyIsRefused(_ text: String) { #expect(reason(text.utf8) == .unexpectedEnd) }

  @Test(arguments: [
    "}", "]", ",", "{]", "[}", "{,}", "[,]", "[1,]", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "[1 2]", "trux",
    "True", "NaN", "Infinity", "+1", ".5", "'a'", "/* */1", "\u{FEFF}1",
  ])
  func aStrangeCharacterIsRefused(_ text: String) { #expect(reason(text.utf8) == .unexpectedCharacter) }

  @Test(arguments: ["01", "-01", "1.x", "-x", "1ex", "00"])
  func aMalformedNumberIsRefused(_ text: String) { #expect(reason(text.utf8) == .badNumber) }

  @Test(arguments: ["1 1", "{}{}", "null,", "\"a\"b", "1x", "0x10"])
  func moreAfterTheValueIsRefused(_ text: String) { #expect(reason(text.utf8) == .trailingBytes) }

  @Test(arguments: [#""\ud800""#, #""\ud800x""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud83d\n""#])
  func aLoneSurrogateIsRefused(_ text: String) { #expect(reason(text.utf8) == .loneSurrogate) }

  @Test(arguments: [#""\x""#, #""\u12G4""#, #""\U0041""#])
  func aBadEscapeIsRefused(_ text: String) { #expect(reason(text.utf8) == .badEscape) }

  @Test(arguments: ["\"\n\"", "\"\u{0}\"", "\"\u{1F}\"", "\"a long enough text\tand more of it\""])
  func aControlCharacterInAStringIsRefused(_ text: String) { #expect(reason(text.utf8) == .controlCharacter) }

  @Test(arguments: [
    [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
    [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x98, 0x22],
  ])
  func invalidUTF8IsRefused(_ sequence: [UInt8]) {
    #expect(reason([0x22] + sequence + [0x22]) == .invalidUTF8)
    #expect(reason([0x22] + sequence) == .invalidUTF8)
  }

  @Test func invalidUTF8OutsideOfStringsIsRefused() { #expect(reason([0xFF, 0xFE]) == .unexpectedCharacter) }

  @Test func nestingIsBounded() throws {
    let deepest = ProtocolLimits.maximumDepth
    let allowed = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)
    #expect(throws: Never.self) { try parse(allowed) }
    #expect(reason("[\(allowed)]".utf8) == .tooDeep)
    #expect(reason([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == .tooDeep)
    #expect(reason(Array(String(repeating: "{\"a\":", count: 100_000).utf8)) == .tooDeep)
  }

  @Test func theNumberOfValuesIsBounded() {
    let many = "[" + String(repeating: "0,", count: ProtocolLimits.maximumValuesPerLine) + "0]"
    #expect(reason(Array(many.utf8)) == .tooManyValues)
  }

  @Test func numbersKeepTheirValue() throws {
    #expect(try parse("9223372036854775807") == .integer(.max))
    #expect(try parse("-9223372036854775808") == .integer(.min))
    #expect(try parse("9223372036854775808") == .double(9_223_372_036_854_775_808))
    #expect(try parse("-0") == .integer(0))
    #expect(try parse("808912345.678901") == .double(808_912_345.678901))
    #expect(try parse("1E+2") == .double(100))
  }

  @Test(arguments: ["1e999", "-1e999", "[1,{\"a\":1e400}]"])
  func aNumberPastADoubleIsRefused(_ text: String) {
    #expect(throws: JSONValue.ParsingError.numberOutOfRange) { try parse(text) }
  }

  @Test func theOffsetNamesTheByte() {
    #expect(throws: JSONValue.ParsingError.notJSON(JSONSyntaxError(.unexpectedCharacter, at: 6))) {
      try parse("{\"a\": x}")
    }
  }

  /// Random texts and damaged ones: ours takes what Foundation takes, refuses what it refuses, and reads the same.
  @Test(arguments: 0..<8)
  func itAgreesWithFoundation(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<400 {
      var text = RandomJSON.value(depth: 4, using: &random).jsonLine()
      if Bool.random(using: &random) { Mutation.apply(to: &text, using: &random) }
      let ours = try? JSONValue(json: text)
      let theirs = try? DecodedByFoundation(json: text).value
      let shown = String(decoding: text, as: UTF8.self)
      #expect((ours == nil) == (theirs == nil), "\(shown)")
      if let ours, let theirs { #expect(ours.means(theirs), "\(shown)") }
    }
  }
}
