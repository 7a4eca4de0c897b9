package import BridgeProtocol
import FoundationEssentials

/// A golden conversation of a client with its provider: Tests/BridgeProtocolTests/Transcripts.
package struct Transcript: Sendable, CustomStringConvertible {
  package enum Direction: String, Sendable {
    case clientToServer = "c2s"
    case serverToClient = "s2c"
  }

  package struct Line: Sendable {
    package var direction: Direction
    package var message: JSONValue
    /// Seconds after the latest `scan` or `openL2CAP`; nil for at once.
    package var after: Double?
    /// The provider that was observed answers nothing.
    package var noReply: Bool
    package var connection: Int
    package var trigger: String?
    /// The sender closes the connection after this line.
    package var closes: Bool

    /// The message as it stands on the socket, slashes escaped as Foundation does, LF included.
    package var bytes: [UInt8] {
      message.jsonLine().flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
  }

  package var name: String
  package var lines: [Line]

  package var description: String { name }

  /// All of them, by name.
  package static let all: [Transcript] = names.map { try! Transcript(named: $0) }

  package static let names = [
    "01-mock-hello-scan-stop", "02-mock-scan-filtered", "03-mock-gatt-read-write-descriptor",
    "04-passthrough-gatt-notify", "05-mock-notify-rssi", "06-passthrough-l2cap", "07-takeover",
    "08-mock-configuration", "09-mock-failures", "10-multi-central-scan", "11-passthrough-advertisements-events",
    "12-proposed-replies",
  ]

  /// Reads the transcript of that name, without extension.
  package init(named name: String) throws {
    self.name = name
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "BridgeProtocolTests/Transcripts/\(name).ndjson")
    lines = try [UInt8](Data(contentsOf: file)).split(separator: UInt8(ascii: "\n")).map { line in
      let entry = try JSONValue(json: line)
      guard let direction = entry["dir"]?.stringValue.flatMap(Direction.init), let message = entry["msg"] else {
        throw TranscriptError.malformedLine(file: name)
      }
      return Line(
        direction: direction, message: message, after: entry["after"]?.doubleValue,
        noReply: entry["noReply"]?.boolValue ?? false, connection: entry["conn"]?.intValue ?? 1,
        trigger: entry["when"]?.stringValue, closes: entry["then"]?.stringValue == "close")
    }
  }
}

package enum TranscriptError: Error {
  case malformedLine(file: String)
}
