import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

/// Plays a transcript's client, has the radio do what its provider reports unasked, and compares what comes.
///
/// Ids are mapped by order of appearance, times and texts ignored, as the transcripts' README says.
@BridgeQueue
final class TranscriptReplay {
  private let transcript: Transcript
  private let service: ServiceFixture
  private let client: LineClient
  /// The transcript's attribute and channel ids, as the service writes them.
  private var ids: [String: String] = [:]
  private var channel: ScriptedChannel?
  private var lastRequest: JSONValue = .null
  private var revision: UInt64 = 0

  init(_ transcript: Transcript, _ service: ServiceFixture, _ client: LineClient) {
    self.transcript = transcript
    self.service = service
    self.client = client
    service.radio.onOpenL2CAP = { [weak self] in self?.open($0, $1) }
  }

  func run() async throws {
    for line in transcript.lines {
      switch line.direction {
      case .clientToServer:
        lastRequest = line.message
        client.send(bytes: withOurIDs(line.message).jsonLine())
        // Until the service has it: the radio's next report must not overtake it.
        await turns(20)
      case .serverToClient:
        provoke(line.message)
        let received = try #require(await client.nextLine(), "\(line.message)")
        compare(line.message, try JSONValue(json: received), key: "")
      }
    }
    await turns()
    #expect(client.pendingLines == 0)
  }

  // MARK: The radio

  private func open(_ psm: UInt16, _ completion: @escaping RadioCompletion<any RadioL2CAPChannel>) {
    switch psm {
    case 192:
      let channel = ScriptedChannel(psm: psm)
      self.channel = channel
      BridgeQueue.async { completion(.success(channel)) }
    case 129: BridgeQueue.async { completion(.failure(.unknown)) }
    default: break
    }
  }

  /// Makes the radio report what the message tells, unless it is the answer to a request.
  private func provoke(_ message: JSONValue) {
    let radio = service.radio
    let request = lastRequest["type"]?.stringValue
    switch message["type"]?.stringValue {
    case "didDiscover": advertise(message)
    case "didUpdateValue" where request == "setNotify":
      guard case .didUpdateValue(let update)? = try? ServerMessage(line: message.jsonLine()) else { return }
      radio.notify(update.value, Meter.current, of: .meter)
    case "didReadyToWriteWithoutResponse": radio.makeReady(.meter)
    case "didUpdateName": radio.observer?.radio(radio, didUpdateName: "Bench Meter 2", of: .meter)
    case "didModifyServices": radio.observer?.radio(radio, didModifyServices: [50], of: .meter)
    case "didDisconnect" where request != "cancel": radio.loseLink(.meter, .peripheralDisconnected)
    case "l2capData":
      guard case .l2capData(let data)? = try? ServerMessage(line: message.jsonLine()) else { return }
      channel?.receive(data.value)
    case "l2capClosed" where request == "openL2CAP": channel?.closeByDevice()
    case "connectionEvent": radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    default: break
    }
    // The write before the room was made is to wait for it.
    if message["type"]?.stringValue == "didUpdateValue" { radio.canSend = false }
    if message["type"]?.stringValue == "didReadyToWriteWithoutResponse" { radio.canSend = true }
  }

  private func advertise(_ message: JSONValue) {
    guard case .didDiscover(let report)? = try? ServerMessage(line: message.jsonLine()) else { return }
    revision += 1
    service.radio.advertise(report.id, report.advertisement, rssi: report.rssi, revision: revision)
  }

  // MARK: Comparing

  private static let idKeys: Set = ["id", "serviceId", "characteristicId", "descriptorId", "channelId", "serviceIds"]
  private static let ignored: Set = ["timestamp", "error"]

  private func withOurIDs(_ message: JSONValue) -> JSONValue {
    guard let members = message.objectValue else { return message }
    return .object(
      members.mapValues { value in
        guard let text = value.stringValue, let ours = ids[text] else { return value }
        return .string(ours)
      })
  }

  private func compare(_ expected: JSONValue, _ actual: JSONValue, key: String) {
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      // Codes where ImpossiBLE has none are allowed.
      let extra = Set(actual.keys).subtracting(expected.keys)
      #expect(extra.subtracting(["errorDomain", "errorCode"]).isEmpty, "\(extra) in \(actual)")
      for (key, value) in expected {
        guard let other = actual[key] else {
          Issue.record("\(key) is missing in \(actual)")
          continue
        }
        compare(value, other, key: key)
      }
    case (.array(let expected), .array(let actual)):
      #expect(expected.count == actual.count, "\(key): \(actual)")
      for (one, other) in zip(expected, actual) { compare(one, other, key: key) }
    case (.string(let expected), .string(let actual)) where Self.idKeys.contains(key) && expected.contains(":"):
      if let known = ids[expected] { #expect(known == actual) } else { ids[expected] = actual }
      #expect(actual.hasPrefix(expected.prefix { $0 != ":" }))
    default:
      if Self.ignored.contains(key) {
        #expect((expected.stringValue == "") == (actual.stringValue == ""), "\(key): \(actual)")
      } else {
        #expect(expected == actual, "\(key)")
      }
    }
  }
}
