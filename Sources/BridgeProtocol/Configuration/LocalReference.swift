/// Something of this machine that a configuration's file names, and where it does.
public struct LocalReference: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case table(CSVFile, ValueEncoding)
    case program(LocalCommand)
    /// A path.
    case socket(String)
  }

  public var target: Target
  /// Where its path begins, if it is not absolute; nil for the current folder.
  public var folder: String?
  /// The field: `devices[3].services[0].characteristics[1].behavior.source.file`.
  public var path: String
  /// From 1; the column counts characters.
  public var line: Int
  public var column: Int

  /// What is wrong with what is named.
  public func problem(_ severity: ConfigurationProblem.Severity, _ reason: String) -> ConfigurationProblem {
    ConfigurationProblem(severity, path: path, reason: reason, line: line, column: column)
  }
}
