import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import ReplayBackend
import TestSupport
import Testing

/// A service whose radio is a recording, with sockets of its own; it records in turn.
@BridgeQueue
final class ReplayService {
  let folder = TemporaryFolder()
  let radio: ReplayRadio
  private let server: Server
  private let path: String

  init(_ recording: Recording, isFast: Bool = true) throws {
    path = folder.file("s")
    radio = ReplayRadio(recording, name: "test.ndjson", isFast: isFast)
    var configuration = ServerConfiguration(
      socketPath: path, recordingPath: folder.file("recordings"), serverVersion: "1")
    configuration.limits.channelOpening = .milliseconds(200)
    server = Server(configuration: configuration, radio: radio)
    try server.start()
  }

  func client() throws -> LineClient { try LineClient(path: path) }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }

  /// What the only client said and heard; after `stop`.
  func recording() throws -> Recording {
    let directory = try #require(opendir(folder.file("recordings")))
    defer { closedir(directory) }
    var name = ""
    while let entry = readdir(directory) {
      let text = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !text.hasPrefix(".") { name = text }
    }
    let text = try #require(folder.read("recordings/" + name))
    return try Recording(file: Array(text.utf8))
  }
}

extension Recording {
  /// Of transcript lines, the messages alone.
  static func of(_ lines: [Transcript.Line]) throws -> Recording {
    var file: [UInt8] = []
    for line in lines {
      let after = line.after.map { ",\"after\":\($0)" } ?? ""
      file += "{\"dir\":\"\(line.direction.rawValue)\"\(after),\"msg\":".utf8 + line.message.jsonLine().dropLast()
      file += "}\n".utf8
    }
    return try Recording(file: file)
  }

  /// Of texts: `> ` before what the client says, `< ` before what it hears, a second apart; the device is `P`.
  static func of(_ lines: [String]) throws -> Recording {
    let text = lines.enumerated().map { index, line in
      let message = line.dropFirst(2).replacing("\"P", with: "\"\(PeripheralIdentifier.meter)")
      return #"{"at":\#(index),"dir":"\#(line.hasPrefix(">") ? "c2s" : "s2c")","msg":\#(message)}"#
    }
    return try Recording(file: Array(text.joined(separator: "\n").utf8))
  }
}

extension PeripheralIdentifier {
  static let meter = PeripheralIdentifier("2B7E1516-28AE-D2A6-ABF7-158809CF4F3C")!
}
