import BridgeIO
import Glibc

/// Writing for people: standard output and standard error, unbuffered, in whole lines.
enum Terminal {
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

  static func complain(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  static func say(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Replaces what is on the screen when someone looks at it; otherwise just a further block.
  static func show(_ text: String) {
    say(isInteractive ? "\u{1B}[H\u{1B}[2J" + text : text)
  }

  private static func write(_ text: String, to descriptor: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { giveUp(on: descriptor) }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func giveUp(on descriptor: CInt) -> Never {
    // A closed pipe is the reader's way of saying "enough".
    if errno == EPIPE { exit(ExitStatus.success.rawValue) }
    if descriptor != STDERR_FILENO { complain("bridge: \(SystemError(call: "write"))") }
    exit(ExitStatus.failure.rawValue)
  }

  /// Text from a peer made harmless for a terminal: control characters become spaces.
  static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

/// Columns as wide as their widest cell; the last is not padded.
func table(_ header: [String], _ rows: [[String]]) -> String {
  let all = [header] + rows.map { $0.map(Terminal.clean) }
  let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
  return all.map { row in
    row.enumerated().map { column, cell in
      column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}
