/// One mistake in a mock configuration, and where it is.
public struct ConfigurationProblem: Error, Hashable, Sendable {
  public enum Severity: Hashable, Sendable {
    /// The configuration cannot be served.
    case error
    /// It can, but hardly as meant.
    case warning
  }

  public var severity: Severity
  /// The field: `devices[3].services[0].uuid`; empty for the whole.
  public var path: String
  /// What is wrong with it: `missing`, `not a UUID`.
  public var reason: String
  /// From 1; the column counts characters.
  public var line: Int
  public var column: Int

  public init(_ severity: Severity = .error, path: String, reason: String, line: Int = 1, column: Int = 1) {
    self.severity = severity
    self.path = path
    self.reason = reason
    self.line = line
    self.column = column
  }
}

extension ConfigurationProblem: CustomStringConvertible {
  /// Without the place: `devices[3].services[0].uuid: not a UUID`.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
