import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// The golden conversations with a radio, replayed against a service whose radio does what they say.
@Suite @BridgeQueue struct TranscriptReplayTests {
  @Test(arguments: ["04-passthrough-gatt-notify", "06-passthrough-l2cap", "11-passthrough-advertisements-events"])
  func passthroughConversationsReplay(_ name: String) async throws {
    let service = try ServiceFixture { $0.limits.channelOpening = .milliseconds(100) }
    let replay = TranscriptReplay(try Transcript(named: name), service, try service.client())
    try await replay.run()
    await service.stop()
  }

  @Test func proposedRepliesAreGiven() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .errors)
    var transcript = try Transcript(named: "12-proposed-replies")
    // Restoration is for a client that a service outlives; ImpossiBLE's never asks for it.
    transcript.lines.removeAll { $0.message["type"]?.stringValue == "didRestoreState" }
    transcript.lines.removeAll { $0.message["type"]?.stringValue == "hello" }
    client.send(
      .registerForConnectionEvents(
        RegisterForConnectionEvents(options: [
          "kCBConnectionEventMatchingOptionPeripheralUUIDs": .array([.string(PeripheralIdentifier.meter.text)])
        ])))
    try await TranscriptReplay(transcript, service, client).run()
    await service.stop()
  }
}
