import BridgeIO
import Testing

@Suite struct LineFramerTests {
  private func lines(_ framer: inout LineFramer) throws -> [String] {
    var lines: [String] = []
    while let range = try framer.next() {
      lines.append(framer.withLine(range) { String(decoding: $0, as: UTF8.self) })
    }
    return lines
  }

  private func append(_ text: String, to framer: inout LineFramer) {
    Array(text.utf8).withUnsafeBytes { framer.append($0) }
  }

  @Test func cutsAtLineEndsAndKeepsWhatIsUnfinished() throws {
    var framer = LineFramer(maximumLine: 100)
    append("one\ntwo\nthr", to: &framer)
    #expect(try lines(&framer) == ["one", "two"])
    #expect(framer.pendingBytes == 3)
    append("ee\n", to: &framer)
    #expect(try lines(&framer) == ["three"])
    #expect(framer.pendingBytes == 0)
  }

  @Test func leavesOutEmptyLinesAndCarriageReturns() throws {
    var framer = LineFramer(maximumLine: 100)
    append("\n\r\none\r\n\n\ntwo\n", to: &framer)
    #expect(try lines(&framer) == ["one", "two"])
  }

  @Test func byteByByteGivesTheSameLines() throws {
    var framer = LineFramer(maximumLine: 100)
    var seen: [String] = []
    for byte in "{\"a\":1}\n\n{\"b\":\"\u{1F600}\"}\r\nrest".utf8 {
      withUnsafeBytes(of: byte) { framer.append($0) }
      seen += try lines(&framer)
    }
    #expect(seen == ["{\"a\":1}", "{\"b\":\"\u{1F600}\"}"])
    #expect(framer.pendingBytes == 4)
  }

  @Test func aLineOfTheLimitPassesAndOneMoreByteDoesNot() throws {
    var framer = LineFramer(maximumLine: 10)
    append("0123456789\n", to: &framer)
    #expect(try lines(&framer) == ["0123456789"])
    append("0123456789x", to: &framer)
    #expect(throws: LineTooLong(limit: 10)) { try framer.next() }
    var whole = LineFramer(maximumLine: 10)
    append("0123456789x\n", to: &whole)
    #expect(throws: LineTooLong(limit: 10)) { try whole.next() }
  }

  @Test func aLongLineInSmallPiecesIsNotSearchedAgainAndAgain() throws {
    var framer = LineFramer(maximumLine: 8 << 20)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16)
    let start = ContinuousClock.now
    for _ in 0..<(8 << 20) / 16 {
      piece.withUnsafeBytes { framer.append($0) }
      #expect(try framer.next() == nil)
    }
    // Half a million searches of up to 8 MiB would take minutes.
    #expect(ContinuousClock.now - start < .seconds(60))
    append("\n", to: &framer)
    #expect(try framer.next() == 0..<(8 << 20))
  }
}
