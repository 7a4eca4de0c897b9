import Glibc
import Synchronization

/// One line per event on standard error: `level category message`, with systemd's priority prefix under the journal.
///
/// error: someone must look. notice: start, stop, a client came or went, the adapter changed. info: a line per request
/// and reply. debug: bytes and D-Bus traffic; the only level at which characteristic values appear.
public enum Log {
  public enum Level: Int, Comparable, Sendable {
    case error = 3
    case notice = 5
    case info = 6
    case debug = 7
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    /// Reads what `name` gives; nil for anything else.
    public init?(name: String) {
      guard let level = [Level.error, .notice, .info, .debug].first(where: { $0.name == name }) else { return nil }
      self = level
    }

    var name: String {
      switch self {
      case .error: "error"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }

  public typealias Sink = @Sendable (_ level: Level, _ category: String, _ message: String) -> Void

  private static let currentLevel = Atomic<Int>(Level.notice.rawValue)
  /// A closure alone in a generic box is wrapped once more at every access through `inout`, without end.
  private struct Output: Sendable {
    var sink: Sink
  }

  private static let output = Lock(Output(sink: standardError))

  public static var level: Level {
    get { Level(rawValue: currentLevel.load(ordering: .relaxed)) ?? .notice }
    set { currentLevel.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Where lines go; tests put their own here. The sink must not log.
  public static func setSink(_ new: @escaping Sink) { output.withLock { $0.sink = new } }

  public static func error(_ category: String, _ message: @autoclosure () -> String) {
    write(.error, category, message)
  }
  public static func notice(_ category: String, _ message: @autoclosure () -> String) {
    write(.notice, category, message)
  }
  public static func info(_ category: String, _ message: @autoclosure () -> String) { write(.info, category, message) }
  public static func debug(_ category: String, _ message: @autoclosure () -> String) {
    write(.debug, category, message)
  }

  private static func write(_ level: Level, _ category: String, _ message: () -> String) {
    guard level.rawValue <= currentLevel.load(ordering: .relaxed) else { return }
    let sink = output.withLock { $0.sink }
    sink(level, category, message())
  }

  private static let underJournal = getenv("JOURNAL_STREAM") != nil

  @Sendable
  private static func standardError(_ level: Level, _ category: String, _ message: String) {
    let prefix = underJournal ? "<\(level.rawValue)>" : ""
    // A line stays a line whatever a peer put into it.
    let clean = String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
    let line = "\(prefix)\(level.name) \(category) \(clean)\n"
    _ = Array(line.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
