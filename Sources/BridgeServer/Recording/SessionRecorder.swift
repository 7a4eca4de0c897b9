import BridgeIO
import BridgeProtocol

/// `--record`: writes one client's conversation to a file of its own, a line for each message (docs/recordings.md).
///
/// The file is begun by the first message that concerns the radio, so that those who only ask for the service's status
/// leave none.
@BridgeQueue
final class SessionRecorder {
  private let folder: BackgroundFolder
  private let start = ContinuousClock.now
  /// Seconds since 1970.
  private let time: Double
  private let serverVersion: String
  private let limit: Int
  private var file: BackgroundFolder.File?
  private var isOver = false
  private var size = 0
  /// What was said before the file was begun.
  private var before: [UInt8] = []
  private static let limitBefore = 64 << 10
  /// Bytes kept of a line that is no message.
  private static let brokenLineLimit = 4096

  /// - Parameter limit: bytes of one recording.
  init(folder: BackgroundFolder, time: Double, serverVersion: String, limit: Int) {
    self.folder = folder
    self.time = time
    self.serverVersion = serverVersion
    self.limit = limit
  }

  // MARK: What is said

  /// A line from the client that is JSON.
  ///
  /// - Parameter name: of the file, made when it is begun.
  func received(_ line: UnsafeBufferPointer<UInt8>, _ message: ClientMessage?, name: () -> String) {
    guard !isOver else { return }
    if file == nil, message?.concernsRadio != false { begin(name()) }
    write("c2s") { $0 += line }
  }

  /// A line from the client that is no JSON, kept as text.
  func receivedBroken(_ line: UnsafeBufferPointer<UInt8>) {
    write("c2s") { bytes in
      var text = JSONWriter()
      text.string(String(decoding: line.prefix(Self.brokenLineLimit), as: UTF8.self))
      bytes += text.bytes
    }
  }

  /// Lines to the client, with their ends.
  func sent(_ lines: UnsafeBufferPointer<UInt8>) {
    var rest = lines[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      write("s2c") { $0 += line }
      rest = rest[(end + 1)...]
    }
  }

  func end(_ reason: String) {
    guard !isOver else { return }
    guard let file else {
      isOver = true
      return
    }
    var line = stamped()
    var writer = JSONWriter()
    writer.string(reason)
    line += Array(",\"end\":".utf8) + writer.bytes + Array("}\n".utf8)
    put(line)
    finish(file)
  }

  // MARK: Writing

  private func begin(_ name: String) {
    file = folder.open(name)
    var line: [UInt8] = []
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("at")
    writer.int(0)
    writer.key("time")
    writer.double(time)
    writer.key("serverVersion")
    writer.string(serverVersion)
    writer.endObject()
    writer.finish(into: &line)
    let before = before
    self.before = []
    put(line)
    if !before.isEmpty { put(before) }
  }

  private func write(_ direction: StaticString, _ message: (inout [UInt8]) -> Void) {
    guard !isOver else { return }
    var line = stamped()
    line += ",\"dir\":\"".utf8
    line += UnsafeBufferPointer(start: direction.utf8Start, count: direction.utf8CodeUnitCount)
    line += "\",\"msg\":".utf8
    message(&line)
    line += "}\n".utf8
    put(line)
  }

  /// The beginning of a line: `{"at":` and the seconds since the session began, to the microsecond.
  private func stamped() -> [UInt8] {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    var line: [UInt8] = []
    line.reserveCapacity(512)
    line += "{\"at\":".utf8
    line += "\(seconds).".utf8
    let fraction = String(attoseconds / 1_000_000_000_000)
    line += String(repeating: "0", count: 6 - fraction.count).utf8
    line += fraction.utf8
    return line
  }

  private func put(_ line: [UInt8]) {
    guard let file else {
      if before.count + line.count <= Self.limitBefore { before += line }
      return
    }
    size += line.count
    guard size <= limit else {
      Log.notice("record", "a recording has reached \(limit >> 20) MiB and ends before its session")
      return finish(file)
    }
    if !folder.append(line, to: file) { finish(file) }
  }

  private func finish(_ file: BackgroundFolder.File) {
    isOver = true
    folder.end(file)
  }
}

extension ClientMessage {
  /// Whether it is more than a greeting or a question about the service.
  fileprivate var concernsRadio: Bool {
    switch self {
    case .hello, .status, .devices, .unknown: false
    default: true
    }
  }
}
