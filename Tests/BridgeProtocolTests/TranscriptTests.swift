import BridgeProtocol
import TestSupport
import Testing

/// Every line of every golden transcript is read into its typed value and written back as equal JSON.
@Suite struct TranscriptTests {
  @Test(arguments: Transcript.all)
  func everyClientLineReadsAndWritesBack(_ transcript: Transcript) throws {
    let lines = transcript.lines.filter { $0.direction == .clientToServer }
    #expect(!lines.isEmpty)
    for line in lines {
      let message = try ClientMessage(line: line.bytes)
      #expect(message.type == line.message["type"]?.stringValue)
      if case .unknown = message { Issue.record("unknown type \(message.type)") }
      var written: [UInt8] = []
      message.appendLine(to: &written)
      #expect(try JSONValue(json: written) == line.message)
      #expect(try ClientMessage(line: written) == message)
    }
  }

  @Test(arguments: Transcript.all)
  func everyServerLineReadsAndWritesBack(_ transcript: Transcript) throws {
    let lines = transcript.lines.filter { $0.direction == .serverToClient }
    #expect(!lines.isEmpty)
    for line in lines {
      let message = try ServerMessage(line: line.bytes)
      #expect(message.type == line.message["type"]?.stringValue)
      if case .unknown = message { Issue.record("unknown type \(message.type)") }
      var written: [UInt8] = []
      message.appendLine(to: &written, for: .errors)
      #expect(try JSONValue(json: written) == withoutIgnoredFields(line.message))
      #expect(try ServerMessage(line: written) == message)
    }
  }

  /// ImpossiBLE's mock adds an empty value to a refused write, which no client reads and we do not write.
  private func withoutIgnoredFields(_ message: JSONValue) -> JSONValue {
    guard var members = message.objectValue, message["type"]?.stringValue == "didWriteValue" else { return message }
    members["value"] = nil
    return .object(members)
  }
}
