import BridgeIO
import BridgeProtocol
import Glibc

/// A local file of mock configurations with what is wrong with it.
struct ConfigurationFile {
  let path: String
  let file: MockConfigurationFile
  let problems: [ConfigurationProblem]
  /// What of this machine it names.
  let references: [LocalReference]

  static let sizeLimit = 256 << 20

  init(_ path: String) throws(ConfigurationFailure) {
    self.path = path
    var problems: [ConfigurationProblem] = []
    var references: [LocalReference] = []
    file = MockConfigurationFile(
      try Self.bytes(path), name: Self.name(of: path), folder: Self.folder(of: path), problems: &problems,
      references: &references)
    self.references = references
    self.problems = problems
  }

  static func bytes(_ path: String) throws(ConfigurationFailure) -> [UInt8] {
    do throws(SystemError) {
      guard let bytes = try WholeFile.read(path, limit: sizeLimit) else {
        throw SystemError(call: "open", errno: ENOENT)
      }
      return bytes
    } catch { throw ConfigurationFailure("\(path): \(error)") }
  }

  /// Where the file is, from the root on.
  private static func folder(of path: String) -> String? {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let real = realpath(parent, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// For a configuration without one: the file's, without folder and ending.
  static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    return String(file.hasSuffix(".json") ? file.dropLast(5) : file)
  }

  /// The configurations, unless the file has mistakes that forbid serving them.
  func usable() throws(ConfigurationFailure) -> [MockConfiguration] {
    let errors = problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw ConfigurationFailure(lines(errors).joined(separator: "\n")) }
    guard !file.configurations.isEmpty else { throw ConfigurationFailure("\(path): there is no configuration in it") }
    return file.configurations
  }

  /// One for each problem, as compilers write them: `file:line:column: error: field: mistake`.
  func lines(_ problems: [ConfigurationProblem]) -> [String] {
    problems.map { problem in
      let severity = problem.severity == .error ? "error" : "warning"
      return "\(path):\(problem.line):\(problem.column): \(severity): \(problem)"
    }
  }
}
