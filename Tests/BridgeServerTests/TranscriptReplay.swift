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
  private var matcher = TranscriptMatcher()
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
        client.send(bytes: matcher.withOurIDs(line.message).jsonLine())
        // Until the service has it: the radio's next report must not overtake it.
        await turns(20)
      case .serverToClient:
        provoke(line.message)
        let received = try #require(await client.nextLine(), "\(line.message)")
        let differences = matcher.differences(line.message, try JSONValue(json: received))
        #expect(differences == [])
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
}
