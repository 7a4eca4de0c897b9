import BridgeIO
import BridgeProtocol
import BridgeServer
import ReplayBackend
import TestSupport
import Testing

@testable import BridgeCommands

/// `bridge replay` of what clients said that bring their own devices.
@Suite @BridgeQueue struct ReplayWorldsTests {
  private func recording(_ lines: [Transcript.Line]) throws -> Recording {
    var file: [UInt8] = []
    for line in lines {
      let after = line.after.map { ",\"after\":\($0)" } ?? ""
      file += "{\"dir\":\"\(line.direction.rawValue)\"\(after),\"msg\":".utf8 + line.message.jsonLine().dropLast()
      file += "}\n".utf8
    }
    return try Recording(file: file)
  }

  /// What ImpossiBLE's mock does otherwise than hardware, the service between does not do again.
  private static let notImpossible: Set = ["didUpdateDescriptorValue", "didWriteDescriptorValue"]

  @Test(arguments: [
    "01-mock-hello-scan-stop", "03-mock-gatt-read-write-descriptor", "08-mock-configuration", "10-multi-central-scan",
  ])
  func conversationsWithUploadedDevicesReplay(_ name: String) async throws {
    let lines = try Transcript(named: name).lines
    let folder = TemporaryFolder()
    let radio = ReplayRadio(try recording(lines), name: name, isFast: true)
    #expect(radio.tookConfigurations)
    let server = ReplayWorlds(radio).server(ServerConfiguration(socketPath: folder.file("s"), serverVersion: "1"))
    try server.start()
    let client = try LineClient(path: folder.file("s"))
    var matcher = TranscriptMatcher()
    for line in lines {
      switch line.direction {
      case .clientToServer:
        client.send(bytes: matcher.withOurIDs(line.message).jsonLine())
        await turns(20)
      case .serverToClient:
        let received = try #require(await client.nextLine(), "\(line.message)")
        let differences = matcher.differences(line.message, try JSONValue(json: received))
        let type = line.message["type"]?.stringValue ?? ""
        #expect(
          differences == [] || Self.notImpossible.contains(type),
          "\(line.message["type"]!) \(differences) \(String(decoding: received, as: UTF8.self))")
      }
    }
    #expect(radio.firstDifference == nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }
}
