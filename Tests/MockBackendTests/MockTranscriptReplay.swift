import BridgeIO
import BridgeProtocol
import MockBackend
import TestSupport
import Testing

/// Plays a golden conversation with ImpossiBLE's mock against a service of virtual devices.
///
/// Attribute ids are mapped by order of appearance; texts and times are ignored, and reports that come once more than
/// expected.
@BridgeQueue
final class MockTranscriptReplay {
  /// Where bridge differs from ImpossiBLE's mock on purpose.
  enum Deviation {
    /// The same message, with other content.
    case content
    /// bridge does not send it.
    case absent
  }

  private let transcript: Transcript
  private let client: LineClient
  /// By the number of the provider's line, from 0.
  private let deviations: [Int: Deviation]
  private var ids: [String: String] = [:]
  private var number = 0

  init(_ transcript: Transcript, _ service: WorldService, deviations: [Int: Deviation]) throws {
    self.transcript = transcript
    self.deviations = deviations
    client = try LineClient(path: service.path)
  }

  func run() async throws {
    var expected: [(number: Int, message: JSONValue)] = []
    for line in transcript.lines {
      switch line.direction {
      case .serverToClient:
        defer { number += 1 }
        if deviations[number] != .absent { expected.append((number, line.message)) }
      case .clientToServer:
        try await receive(&expected)
        client.send(bytes: withOurIDs(line.message).jsonLine())
      }
    }
    try await receive(&expected)
  }

  private func receive(_ expected: inout [(number: Int, message: JSONValue)]) async throws {
    while !expected.isEmpty {
      let line = try #require(await client.nextLine(), "\(expected[0].message)")
      let actual = try JSONValue(json: line)
      let type = actual["type"]?.stringValue
      if type == "didDiscover" {
        // In any order, and more often.
        if let index = expected.firstIndex(where: { $0.message == actual }) { expected.remove(at: index) }
        continue
      }
      // What answers a request that ImpossiBLE drops.
      guard let index = expected.firstIndex(where: { $0.message["type"]?.stringValue != "didDiscover" }),
        expected[index].message["type"]?.stringValue == type
      else { continue }
      let (number, message) = expected.remove(at: index)
      if deviations[number] != .content { compare(message, actual, key: "") }
    }
  }

  // MARK: Comparing

  private static let idKeys: Set = ["serviceId", "characteristicId", "descriptorId", "id"]
  private static let ignored: Set = ["timestamp", "error"]

  private func withOurIDs(_ message: JSONValue) -> JSONValue {
    guard let members = message.objectValue else { return message }
    return .object(members.mapValues { value in value.stringValue.flatMap { ids[$0] }.map { .string($0) } ?? value })
  }

  private func compare(_ expected: JSONValue, _ actual: JSONValue, key: String) {
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      for (key, value) in expected {
        // ImpossiBLE's mock sends it with one refusal, and nobody reads it.
        if key == "value", expected["type"] == .string("didWriteValue") { continue }
        compare(value, actual[key] ?? .null, key: key)
      }
    case (.array(let expected), .array(let actual)):
      #expect(expected.count == actual.count, "\(key): \(actual)")
      for (one, other) in zip(expected, actual) { compare(one, other, key: key) }
    case (.string(let expected), .string(let actual)) where Self.idKeys.contains(key) && expected.contains(":"):
      if let known = ids[expected] { #expect(known == actual) } else { ids[expected] = actual }
    default:
      if Self.ignored.contains(key) {
        #expect((expected.stringValue == "") == (actual.stringValue == ""), "\(key): \(actual)")
      } else {
        #expect(expected == actual, "\(key)")
      }
    }
  }
}
