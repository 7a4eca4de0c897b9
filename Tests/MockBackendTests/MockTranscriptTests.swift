import BridgeIO
import BridgeProtocol
import MockBackend
import TestSupport
import Testing

/// The golden conversations with ImpossiBLE's mock, in its own laxness.
@Suite @BridgeQueue struct MockTranscriptTests {
  private func replay(_ name: String, deviations: [Int: MockTranscriptReplay.Deviation] = [:]) async throws {
    var options = VirtualRadioOptions()
    options.compatibility = .impossible
    let service = try WorldService(options: options)
    try await MockTranscriptReplay(try Transcript(named: name), service, deviations: deviations).run()
    await service.stop()
  }

  @Test(arguments: [
    "01-mock-hello-scan-stop", "02-mock-scan-filtered", "08-mock-configuration", "10-multi-central-scan",
  ])
  func scansAndUploadsReplay(_ name: String) async throws { try await replay(name) }

  @Test func attributesReplay() async throws {
    // Descriptors come typed as CoreBluetooth types them, and 2902 is not for writing.
    try await replay("03-mock-gatt-read-write-descriptor", deviations: descriptors())
  }

  private func descriptors() throws -> [Int: MockTranscriptReplay.Deviation] {
    let answers = try Transcript(named: "03-mock-gatt-read-write-descriptor").lines.filter {
      $0.direction == .serverToClient
    }
    var result: [Int: MockTranscriptReplay.Deviation] = [:]
    for (number, line) in answers.enumerated() where line.message["descriptorId"] != nil { result[number] = .content }
    return result
  }

  @Test func subscribingAndRSSIReplay() async throws {
    // An unknown device has no RSSI.
    try await replay("05-mock-notify-rssi", deviations: [8: .content])
  }

  @Test func failuresReplay() async throws {
    // A write without response is not answered, nothing subscribes to what does not notify, and what is gone is gone.
    try await replay(
      "09-mock-failures", deviations: [12: .absent, 13: .content, 16: .content, 17: .content])
  }
}
