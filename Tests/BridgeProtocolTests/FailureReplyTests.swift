import BridgeProtocol
import TestSupport
import Testing

@Suite struct FailureReplyTests {
  /// The proposed answers of transcript 12 are what a failing request is answered with, field by field.
  @Test func failingRequestsAreAnsweredAsProposed() throws {
    let lines = try Transcript(named: "12-proposed-replies").lines
    var answered = 0
    for (request, reply) in zip(lines, lines.dropFirst()) {
      guard request.direction == .clientToServer, reply.direction == .serverToClient, !request.noReply else { continue }
      let expected = try ServerMessage(line: reply.bytes)
      let message = try ClientMessage(line: request.bytes)
      let error = error(of: reply.message)
      #expect(withoutTime(message.failureReply(error)) == withoutTime(expected), "\(message.type)")
      answered += 1
    }
    #expect(answered == 16)
  }

  @Test func aWriteWithoutResponseIsNotAnswered() {
    let id = PeripheralIdentifier(high: 1, low: 2)
    let write = ClientMessage.write(
      WriteCharacteristic(id: id, characteristicId: "c", value: [], writeType: .withoutResponse))
    #expect(write.failureReply(.notConnected) == nil)
  }

  @Test func setNotifyTellsWhatHolds() {
    let id = PeripheralIdentifier(high: 1, low: 2)
    let request = ClientMessage.setNotify(SetNotify(id: id, characteristicId: "c", enabled: false))
    #expect(
      request.failureReply(.notConnected, isNotifying: true)
        == .didUpdateNotification(
          DidUpdateNotification(id: id, characteristicId: "c", enabled: true, error: .notConnected)))
  }

  private func error(of reply: JSONValue) -> BluetoothError {
    let text = reply["error"]?.stringValue ?? ""
    guard let domain = reply["errorDomain"]?.stringValue.flatMap(BluetoothError.Domain.init),
      let code = reply["errorCode"]?.intValue
    else { return .impossible(text) }
    return BluetoothError(domain, code, text)
  }

  private func withoutTime(_ message: ServerMessage?) -> ServerMessage? {
    guard case .didDisconnect(var body) = message else { return message }
    body.timestamp = nil
    return .didDisconnect(body)
  }
}
