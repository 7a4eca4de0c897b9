/// Where a characteristic's values come from by themselves.
public struct ValueSource: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// One after another.
    case list([TimedValue])
    /// From the first bound by `step`, over and over.
    case counter(from: Double, to: Double, step: Double)
    /// Each number as likely as any other.
    case random(ClosedRange<Double>)
    /// Each number up to `step` from the one before, between the bounds.
    case randomWalk(from: Double, ClosedRange<Double>, step: Double)
    /// Seconds since 1970.
    case time
    /// So many random bytes.
    case bytes(Int)
    case csv(CSVFile)
    case command(LocalCommand)
  }

  public struct TimedValue: Hashable, Sendable {
    /// Seconds since the source's start; nil for one interval after the value before.
    public var at: Double?
    public var value: [UInt8]
    public init(_ value: [UInt8], at: Double? = nil) {
      self.at = at
      self.value = value
    }
  }

  /// When it runs.
  public enum Time: String, Hashable, Sendable, CaseIterable {
    /// From the beginning whenever the first client subscribes, while one is.
    case subscribed
    /// From the beginning whenever the device is connected, while it is.
    case connected
    /// As long as the device is served.
    case always
  }

  public var kind: Kind
  public var encoding: ValueEncoding
  /// Seconds between values, for those without times of their own.
  public var interval = 1.0
  /// Seconds, the most by which an interval is longer, each time by another part.
  public var jitter = 0.0
  /// Whether a list or a file begins again at its end.
  public var repeats = true
  public var time = Time.subscribed

  public init(_ kind: Kind, _ encoding: ValueEncoding = ValueEncoding()) {
    self.kind = kind
    self.encoding = encoding
  }

  /// The field with which it reaches into this machine, which only local files may, and what that names.
  var localTarget: (field: String, target: LocalReference.Target)? {
    switch kind {
    case .csv(let file): ("file", .table(file, encoding))
    case .command(let command): ("command", .program(command))
    default: nil
    }
  }
}

/// A file of comma-separated values whose rows come at their times.
public struct CSVFile: Hashable, Sendable {
  public enum Column: Hashable, Sendable {
    case named(String)
    /// From 0; then the first row is data.
    case position(Int)
  }

  /// Relative to the configuration's file.
  public var path: String
  /// Seconds; nil for one row each interval.
  public var time: Column?
  public var value: Column
  /// Time passes so many times faster.
  public var speed = 1.0

  public init(path: String, time: Column? = nil, value: Column) {
    self.path = path
    self.time = time
    self.value = value
  }
}

/// A command of this machine whose output lines are values.
public struct LocalCommand: Hashable, Sendable {
  public enum Restart: String, Hashable, Sendable, CaseIterable {
    case never, onFailure, always
  }

  /// The program, relative to the configuration's file if it has a slash, else looked up in PATH; and its arguments.
  public var arguments: [String]
  public var restart = Restart.never
  /// Lines taken in a second; a command that writes faster has to wait.
  public var maximumRate = 1000
  /// Bytes of a line; a longer one ends the command.
  public var maximumLine = 4096
  /// Of one that gives the value of a read: seconds until that fails.
  public var timeout = 5.0

  public init(_ arguments: [String]) { self.arguments = arguments }
}
