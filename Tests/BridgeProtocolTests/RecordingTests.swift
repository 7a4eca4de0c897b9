import BridgeProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite struct RecordingTests {
  private let connect = #"{"at":1.5,"dir":"c2s","msg":{"type":"connect","id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3C"}}"#
  private let connected =
    #"{"at":2,"dir":"s2c","msg":{"type":"didConnect","id":"2B7E1516-28AE-D2A6-ABF7-158809CF4F3C"}}"#

  private func recording(_ lines: String...) throws -> Recording {
    try Recording(file: Array(lines.joined(separator: "\n").utf8))
  }

  @Test func linesHaveTheirTimesAndNumbers() throws {
    let recording = try recording(#"{"at":0,"time":1e9}"#, connect, "", connected, #"{"at":3,"end":"it went"}"#)
    #expect(recording.lines.map(\.at) == [1.5, 2])
    #expect(recording.lines.map(\.number) == [2, 4])
    #expect(recording.isComplete && recording.cut == nil)
  }

  @Test func allGoldenTranscriptsAreRecordings() throws {
    for transcript in Transcript.all {
      let file = transcript.lines.map { line in
        String(decoding: line.message.jsonLine().dropLast(), as: UTF8.self)
      }.enumerated().map { #"{"dir":"\#(transcript.lines[$0].direction.rawValue)","msg":\#($1)}"# }
      let recording = try Recording(file: Array(file.joined(separator: "\n").utf8))
      // Those with a field missing are no messages.
      #expect(recording.lines.count >= transcript.lines.count - 2, "\(transcript)")
    }
  }

  @Test func aFileThatWasCutIsGoodUpToTheCut() throws {
    for length in 1..<connected.utf8.count {
      let cut = try recording(connect, String(connected.prefix(length)))
      #expect(cut.lines.count == 1)
      #expect(cut.cut?.line == 2)
      #expect(!cut.isComplete)
    }
  }

  @Test func nothingAfterDamageCounts() throws {
    let recording = try recording(connect, #"{"at":1,"dir":"up","msg":{"type":"x"}}"#, connected)
    #expect(recording.lines.count == 1)
    #expect(recording.cut?.description == "line 2: dir is neither c2s nor s2c")
  }

  @Test func otherFilesAreNoRecordings() {
    #expect(throws: Recording.ReadingError.noMessages) { try Recording(file: []) }
    #expect(throws: Recording.ReadingError.noMessages) { try recording(#"{"at":0,"time":1}"#) }
    #expect(throws: Recording.ReadingError.firstLine("not a JSON object")) { try recording("[]") }
    #expect(throws: Recording.ReadingError.firstLine("dir is missing")) { try recording(#"{"name":"x"}"#) }
  }

  @Test func timesOfTranscriptsMadeByHandCountFromTheLatestScan() throws {
    let recording = try recording(
      #"{"dir":"c2s","msg":{"type":"scan","services":[]}}"#, connected.replacing("\"at\":2", with: "\"after\":3"),
      connect.replacing("\"at\":1.5,", with: ""))
    #expect(recording.lines.map(\.at) == [0, 3, 3])
  }
}
