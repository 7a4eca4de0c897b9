import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import TestSupport
import Testing

/// `--record`.
@Suite @BridgeQueue struct SessionRecorderTests {
  private func service(
    in folder: TemporaryFolder, _ configure: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> ServiceFixture {
    try ServiceFixture {
      $0.recordingPath = folder.file("recordings")
      configure(&$0)
    }
  }

  private func recordings(in folder: TemporaryFolder) -> [String] {
    guard let directory = opendir(folder.file("recordings")) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append("recordings/" + name) }
    }
    return names.sorted()
  }

  /// Of the only recording.
  private func text(of folder: TemporaryFolder) throws -> String {
    let name = try #require(recordings(in: folder).first)
    return try #require(folder.read(name))
  }

  @Test func aConversationIsKeptBothWaysWithItsTimes() async throws {
    let folder = TemporaryFolder()
    let service = try service(in: folder)
    let client = try service.client()
    var sent: [ClientMessage] = []
    var received: [ServerMessage] = []
    func say(_ message: ClientMessage, replies: Int) async throws {
      client.send(message)
      sent.append(message)
      for _ in 0..<replies { if let reply = try await client.next() { received.append(reply) } }
    }
    try await say(.hello(Hello(clientVersion: "1", bundleId: "an app/../x", pid: 7, features: ["errors"])), replies: 1)
    try await say(.connect(Connect(id: .meter)), replies: 1)
    try await say(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)), replies: 1)
    try await say(.read(ReadCharacteristic(id: .meter, characteristicId: "\(Meter.serviceID):2A19:99")), replies: 1)
    try await say(.setNotify(SetNotify(id: .meter, characteristicId: Meter.currentID, enabled: true)), replies: 1)
    service.radio.notify([1, 2, 3], Meter.current, of: .meter)
    if let value = try await client.next() { received.append(value) }
    client.close()
    await service.stop()

    let names = recordings(in: folder)
    #expect(names.count == 1)
    let name = names.first ?? ""
    #expect(name.hasSuffix("Z-\(getpid())-1-an_app_.._x.ndjson"), "\(name)")
    let recording = try Recording(file: Array(try text(of: folder).utf8))
    #expect(recording.isComplete && recording.cut == nil)
    #expect(
      recording.lines.compactMap { if case .client(let message) = $0.message { message } else { nil } } == sent)
    #expect(
      recording.lines.compactMap { if case .server(let message) = $0.message { message } else { nil } } == received)
    #expect(zip(recording.lines, recording.lines.dropFirst()).allSatisfy { $0.at <= $1.at })
    // The question before its answer.
    #expect(recording.lines.firstIndex { $0.message == .client(sent[1]) }! < 3)
  }

  @Test func whoOnlyAsksForTheServicesStatusLeavesNoRecording() async throws {
    let folder = TemporaryFolder()
    let service = try service(in: folder)
    let client = try service.controlClient()
    client.hello(features: .control)
    _ = try await client.messagesUntilStatus()
    client.close()
    await service.stop()
    #expect(recordings(in: folder).isEmpty)
  }

  @Test func brokenLinesAreKeptAsText() async throws {
    let folder = TemporaryFolder()
    let service = try service(in: folder)
    let client = try await service.connectedClient(features: [])
    client.send(#"{"type":"read" oh"#)
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    _ = try await client.next("didReadRSSI")
    await service.stop()
    let text = try text(of: folder)
    #expect(text.contains(#","dir":"c2s","msg":"{\"type\":\"read\" oh"}"#), "\(text)")
    #expect(try Recording(file: Array(text.utf8)).isComplete)
  }

  @Test func aRecordingThatGrowsTooLargeEndsAtAWholeLine() async throws {
    let folder = TemporaryFolder()
    let service = try service(in: folder) { $0.limits.recording = 2000 }
    let client = try await service.connectedClient()
    for _ in 0..<20 {
      client.send(.readRSSI(ReadRSSI(id: .meter)))
      _ = try await client.next("didReadRSSI")
    }
    await service.stop()
    let text = try text(of: folder)
    #expect(text.utf8.count <= 2000)
    let recording = try Recording(file: Array(text.utf8))
    #expect(recording.cut == nil && !recording.isComplete && recording.lines.count > 5)
  }

  @Test func clientsAreServedWhenNothingCanBeRecorded() async throws {
    let folder = TemporaryFolder()
    let service = try service(in: folder)
    rmdir(folder.file("recordings"))
    let client = try await service.connectedClient()
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next("didReadRSSI") != nil)
    await service.stop()
  }

  @Test func aFolderThatCannotBeWrittenIsToldAtTheStart() throws {
    #expect(throws: ServerError.recordings("/no/such/folder", SystemError(call: "mkdir", errno: ENOENT))) {
      try ServiceFixture { $0.recordingPath = "/no/such/folder" }
    }
  }
}
