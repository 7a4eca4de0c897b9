/// A conversation of one client with a service: an NDJSON file, a line for each message, see docs/recordings.md.
public struct Recording: Sendable {
  public enum Message: Hashable, Sendable {
    case client(ClientMessage)
    case server(ServerMessage)
  }

  public struct Line: Hashable, Sendable {
    /// In the file, from 1.
    public var number: Int
    /// Seconds since the conversation began.
    public var at: Double
    public var message: Message
  }

  /// Where reading ended before the file did.
  public struct Cut: Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var problem: String
    public var description: String { "line \(line): \(problem)" }
  }

  /// Why a file is no recording at all.
  public enum ReadingError: Error, Hashable, Sendable, CustomStringConvertible {
    case firstLine(String)
    case noMessages

    public var description: String {
      switch self {
      case .firstLine(let problem): "not a recording: line 1: \(problem)"
      case .noMessages: "not a recording: there is no message in it"
      }
    }
  }

  /// Messages that are none, or that this version does not understand, are left out.
  public private(set) var lines: [Line] = []
  /// nil for a file that could be read to its end.
  public private(set) var cut: Cut?
  /// Whether the end of the session is in it: nothing is missing after the last line.
  public private(set) var isComplete = false

  /// Reads up to the first line that cannot be read: a file that was cut short is good up to the cut.
  public init(file: [UInt8]) throws(ReadingError) {
    var clock = Clock()
    var number = 0
    for text in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard text.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { continue }
      do throws(LineError) { try add(RecordedLine(text), number, &clock) } catch {
        if number == 1 { throw .firstLine(error.problem) }
        cut = Cut(line: number, problem: error.problem)
        break
      }
    }
    if lines.isEmpty { throw .noMessages }
  }

  private mutating func add(_ line: RecordedLine, _ number: Int, _ clock: inout Clock) {
    switch line.content {
    case .end: isComplete = true
    case .nothing: break
    case .message(let message): lines.append(Line(number: number, at: clock.time(of: line, message), message: message))
    }
  }

  /// Gives each line a time. A recording has one for each; a transcript made by hand tells only of waits, from the
  /// latest `scan` or `openL2CAP`.
  private struct Clock {
    private var last = 0.0
    private var trigger = 0.0

    mutating func time(of line: RecordedLine, _ message: Message) -> Double {
      // A clock that goes back would have answers before their questions.
      last = max(last, line.at ?? line.after.map { trigger + $0 } ?? last)
      switch message {
      case .client(.scan), .client(.openL2CAP): trigger = last
      default: break
      }
      return last
    }
  }
}
