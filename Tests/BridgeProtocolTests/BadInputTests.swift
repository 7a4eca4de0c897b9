import BridgeProtocol
import Testing

/// Lines that are refused: why, and what the client is told.
@Suite struct BadInputTests {
  private static let id = "2B7E1516-28AE-D2A6-ABF7-158809CF4F3C"
  private static let attribute = "\(id):180F:0:2A19:0"

  private func refusal(_ line: some Collection<UInt8>) -> MessageDecodingError? {
    do throws(MessageDecodingError) {
      _ = try ClientMessage(line: line)
      return nil
    } catch { return error }
  }

  @Test func whatIsNoMessageIsToldApart() {
    #expect(refusal("".utf8) == .notJSON(JSONSyntaxError(.unexpectedEnd, at: 0)))
    #expect(refusal("hello".utf8) == .notJSON(JSONSyntaxError(.unexpectedCharacter, at: 0)))
    #expect(refusal("[]".utf8) == .notAnObject)
    #expect(refusal("\"scan\"".utf8) == .notAnObject)
    #expect(refusal("{}".utf8) == .noType)
    #expect(refusal(#"{"Type":"scan"}"#.utf8) == .noType)
    #expect(refusal(#"{"type":null}"#.utf8) == .typeNotAString)
    #expect(refusal(#"{"type":7}"#.utf8) == .typeNotAString)
    #expect(refusal(#"{"type":"scan"}{"type":"scan"}"#.utf8) == .notJSON(JSONSyntaxError(.trailingBytes, at: 15)))
    #expect(refusal([0xFF, 0xFE, 0x00]) == .notJSON(JSONSyntaxError(.unexpectedCharacter, at: 0)))
    #expect(
      refusal([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == .notJSON(JSONSyntaxError(.tooDeep, at: 128)))
  }

  /// A line, what is said of it, and the `type` of the reply.
  struct Case: CustomTestStringConvertible, Sendable {
    var line: String
    var description: String
    var reply: String?
    var testDescription: String { description }

    init(_ line: String, _ description: String, _ reply: String?) {
      self.line = line.replacing("<id>", with: BadInputTests.id)
        .replacing("<attribute>", with: BadInputTests.attribute)
      self.description = description
      self.reply = reply
    }
  }

  static let cases = [
    Case(#"{"type":"hello","pid":"x"}"#, "hello: pid: not an integer", nil),
    Case(#"{"type":"hello","features":"mtu"}"#, "hello: features: not an array", nil),
    Case(#"{"type":"scan","services":["180F","nope"]}"#, "scan: services[1]: not a UUID", nil),
    Case(#"{"type":"scan","services":[7]}"#, "scan: services[0]: not a string", nil),
    Case(
      #"{"type":"scan","options":{"kCBScanOptionAllowDuplicates":2}}"#,
      "scan: options.kCBScanOptionAllowDuplicates: not true or false", nil),
    Case(
      #"{"type":"scan","options":{"solicitedServiceUUIDs":["1"]}}"#,
      "scan: options.solicitedServiceUUIDs[0]: not a UUID", nil),
    Case(#"{"type":"scan","options":[]}"#, "scan: options: not an object", nil),
    Case(#"{"type":"connect"}"#, "connect: id: missing", nil),
    Case(#"{"type":"connect","id":"nope"}"#, "connect: id: not a UUID", nil),
    Case(#"{"type":"connect","id":"<id>","options":7}"#, "connect: options: not an object", "didFailConnect"),
    Case(
      #"{"type":"connect","id":"<id>","options":{"x":1e999}}"#, "connect: options: out of range", "didFailConnect"),
    Case(#"{"type":"cancel","id":null}"#, "cancel: id: missing", nil),
    Case(
      #"{"type":"discoverServices","id":"<id>","services":"180F"}"#, "discoverServices: services: not an array",
      "didDiscoverServices"),
    Case(
      #"{"type":"discoverIncludedServices","serviceId":"<id>:180F:0","services":["x"]}"#,
      "discoverIncludedServices: services[0]: not a UUID", "didDiscoverIncludedServices"),
    Case(
      #"{"type":"discoverCharacteristics","id":"<id>","serviceId":"s","characteristics":{}}"#,
      "discoverCharacteristics: characteristics: not an array", "didDiscoverCharacteristics"),
    Case(
      #"{"type":"discoverCharacteristics","id":"<id>","serviceId":7}"#,
      "discoverCharacteristics: serviceId: not a string", nil),
    Case(
      #"{"type":"discoverDescriptors","id":"x","characteristicId":"y"}"#, "discoverDescriptors: id: not a UUID", nil),
    Case(#"{"type":"read","id":"<id>"}"#, "read: characteristicId: missing", nil),
    Case(#"{"type":"read","id":"<id>","characteristicId":[]}"#, "read: characteristicId: not a string", nil),
    Case(
      #"{"type":"write","id":"<id>","characteristicId":"<attribute>","value":"AA="}"#, "write: value: not base64",
      "didWriteValue"),
    Case(
      #"{"type":"write","id":"<id>","characteristicId":"<attribute>","value":"AA=","writeType":1}"#,
      "write: value: not base64", nil),
    Case(
      #"{"type":"write","id":"<id>","characteristicId":"<attribute>"}"#, "write: value: missing", "didWriteValue"),
    Case(
      #"{"type":"write","id":"<id>","characteristicId":"<attribute>","value":"","writeType":2}"#,
      "write: writeType: out of range", "didWriteValue"),
    Case(
      #"{"type":"write","id":"<id>","characteristicId":"<attribute>","value":"","writeType":99999999999999999999}"#,
      "write: writeType: out of range", "didWriteValue"),
    Case(
      #"{"type":"writeDescriptor","descriptorId":"<attribute>:2902:0","value":7}"#,
      "writeDescriptor: value: not a string",
      "didWriteDescriptorValue"),
    Case(#"{"type":"readDescriptor","descriptorId":7}"#, "readDescriptor: id: missing", nil),
    Case(
      #"{"type":"setNotify","characteristicId":"<attribute>"}"#, "setNotify: enabled: missing", "didUpdateNotification"),
    Case(
      #"{"type":"setNotify","characteristicId":"<attribute>","enabled":"yes"}"#,
      "setNotify: enabled: not true or false",
      "didUpdateNotification"),
    Case(#"{"type":"openL2CAP","id":"<id>","psm":65536}"#, "openL2CAP: psm: out of range", "didOpenL2CAP"),
    Case(#"{"type":"openL2CAP","id":"<id>","psm":1.5}"#, "openL2CAP: psm: not an integer", "didOpenL2CAP"),
    Case(#"{"type":"openL2CAP","id":"<id>"}"#, "openL2CAP: psm: missing", "didOpenL2CAP"),
    Case(#"{"type":"l2capWrite","channelId":"c","value":"?"}"#, "l2capWrite: value: not base64", "l2capClosed"),
    Case(#"{"type":"l2capClose"}"#, "l2capClose: channelId: missing", nil),
    Case(
      #"{"type":"setMockConfiguration"}"#, "setMockConfiguration: configuration: missing", "didSetMockConfiguration"),
    Case(
      #"{"type":"setMockConfiguration","configuration":[]}"#,
      "setMockConfiguration: configuration: not an object", "didSetMockConfiguration"),
    Case(#"{"type":"devices","watch":"x"}"#, "devices: watch: not true or false", nil),
  ]

  @Test(arguments: cases)
  func aWrongFieldIsNamedAndAnswered(_ example: Case) throws {
    let error = try #require(refusal(example.line.utf8))
    #expect(error.description == example.description)
    #expect(error.reply?.type == example.reply)
  }

  @Test func theReplyNamesWhatTheRequestNamed() throws {
    let line = #"{"type":"write","id":"\#(Self.id)","characteristicId":"\#(Self.attribute)","value":"***"}"#
    let error = try #require(refusal(line.utf8))
    let id = try #require(PeripheralIdentifier(Self.id))
    #expect(
      error.reply
        == .didWriteValue(
          DidWriteValue(
            id: id, characteristicId: Self.attribute,
            error: .invalidParameters.saying("value: not base64"))))
  }

  @Test func theReplyToABadOpenRepeatsThePSM() throws {
    let error = try #require(refusal(#"{"type":"openL2CAP","id":"\#(Self.id)","psm":70000}"#.utf8))
    guard case .didOpenL2CAP(let reply) = error.reply else {
      Issue.record("no didOpenL2CAP")
      return
    }
    #expect(reply.psm == 70000)
    #expect(reply.channelId == "")
  }
}
