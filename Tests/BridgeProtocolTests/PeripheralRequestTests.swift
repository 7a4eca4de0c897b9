import BridgeProtocol
import Testing

/// Requests of clients that are peripherals, as they come from outside.
@Suite struct PeripheralRequestTests {
  private func message(_ text: String) throws(MessageDecodingError) -> ClientMessage {
    try ClientMessage(line: Array(text.utf8))
  }

  /// What a client gets for a request that cannot be read.
  private func reply(to text: String) -> ServerMessage? {
    do throws(MessageDecodingError) {
      _ = try message(text)
      return nil
    } catch { return error.reply }
  }

  @Test func `a service is read with what may be left out`() throws {
    let text = """
      {"type":"publishService","service":{"id":1,"uuid":"180f","characteristics":[
      {"id":2,"uuid":"2A19","properties":2,"permissions":1,"value":"ZA=="}]}}
      """
    let expected = HostedService(
      id: 1, uuid: BluetoothUUID(short: 0x180F), isPrimary: true,
      characteristics: [
        HostedCharacteristic(
          id: 2, uuid: BluetoothUUID(short: 0x2A19), properties: .read, permissions: .readable, value: [100])
      ])
    #expect(try message(text) == .peripheral(.publishService(PublishService(service: expected))))
  }

  @Test func `a broken service is refused under its number, with the place of what is wrong`() {
    let text = #"{"type":"publishService","service":{"id":7,"uuid":"180F","characteristics":[{"id":1,"uuid":"x"}]}}"#
    guard case .peripheral(.didPublishService(let refusal)) = reply(to: text) else {
      Issue.record("no reply")
      return
    }
    #expect(refusal.service == 7 && refusal.error?.code == 1)
    #expect(refusal.error?.text.contains("service.characteristics[0].uuid") == true)
  }

  @Test func `values past 512 bytes and numbers out of range are refused`() {
    // 513 bytes.
    let long = String(repeating: "AAAA", count: 171)
    let update = reply(to: #"{"type":"updateSubscribers","update":3,"characteristic":1,"value":"\#(long)"}"#)
    #expect(update == .peripheral(.didUpdateSubscribers(DidUpdateSubscribers(update: 3))))
    guard case .peripheral(.didUnpublishL2CAP(let channel)) = reply(to: #"{"type":"unpublishL2CAP","psm":-1}"#) else {
      Issue.record("no reply")
      return
    }
    #expect(channel.error != nil)
    #expect(throws: MessageDecodingError.self) { try message(#"{"type":"respond","request":1,"result":256}"#) }
  }
}
