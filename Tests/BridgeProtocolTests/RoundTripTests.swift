import BridgeProtocol
import TestSupport
import Testing

@Suite struct RoundTripTests {
  /// Every message, with random content, is read as it was written, and Foundation calls it JSON too.
  @Test(arguments: 0..<8)
  func randomMessagesComeBackAsTheyWere(seed: UInt64) throws {
    var messages = RandomMessages(random: SplitMix64(seed: seed))
    for _ in 0..<6 {
      for message in messages.clientMessages() {
        var line: [UInt8] = []
        message.appendLine(to: &line)
        #expect(try ClientMessage(line: line) == message)
        try checkForm(line, type: message.type)
      }
      for message in messages.serverMessages() {
        var line: [UInt8] = []
        message.appendLine(to: &line, for: .all)
        #expect(try ServerMessage(line: line) == message)
        try checkForm(line, type: message.type)
      }
    }
  }

  private func checkForm(_ line: [UInt8], type: String) throws {
    #expect(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
    #expect(try DecodedByFoundation(json: line).value["type"] == .string(type))
  }

  /// Damaged lines are refused with a description or read as something that comes back as it was; nothing traps.
  @Test(arguments: 0..<8)
  func damagedLinesAreHarmless(seed: UInt64) throws {
    var messages = RandomMessages(random: SplitMix64(seed: seed &+ 1000))
    for _ in 0..<20 {
      for message in messages.clientMessages() {
        var line: [UInt8] = []
        message.appendLine(to: &line)
        Mutation.apply(to: &line, using: &messages.random)
        checkClientLine(line)
      }
      for message in messages.serverMessages() {
        var line: [UInt8] = []
        message.appendLine(to: &line)
        Mutation.apply(to: &line, using: &messages.random)
        checkServerLine(line)
      }
    }
  }

  private func checkClientLine(_ line: [UInt8]) {
    do throws(MessageDecodingError) {
      let message = try ClientMessage(line: line)
      var written: [UInt8] = []
      message.appendLine(to: &written)
      #expect((try? ClientMessage(line: written)) == message)
      var reply: [UInt8] = []
      message.failureReply(.unknown)?.appendLine(to: &reply)
    } catch {
      #expect(!error.description.isEmpty)
      var reply: [UInt8] = []
      error.reply?.appendLine(to: &reply)
    }
  }

  private func checkServerLine(_ line: [UInt8]) {
    guard let message = try? ServerMessage(line: line) else { return }
    var written: [UInt8] = []
    message.appendLine(to: &written, for: .all)
    #expect((try? ServerMessage(line: written)) != nil)
  }
}
