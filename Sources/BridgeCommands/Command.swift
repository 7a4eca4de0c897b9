/// A subcommand: what it is called, what it takes, what it does.
protocol Command {
  associatedtype Settings
  static var name: String { get }
  /// A line for `bridge help`.
  static var summary: String { get }
  /// Paragraphs for `bridge help NAME`: what it does, when to use it, an example.
  static var discussion: String { get }
  static var options: [Option<Settings>] { get }
  /// What stands without a flag; nil if nothing may.
  static var operand: Operand<Settings>? { get }
  static func settings() -> Settings
  static func run(_ settings: Settings) -> ExitStatus
}

extension Command {
  static var operand: Operand<Settings>? { nil }

  static func run(arguments: [String]) -> ExitStatus {
    if arguments.contains("--help") || arguments.contains("-h") {
      Terminal.say(help)
      return .success
    }
    var settings = settings()
    do throws(UsageError) {
      try parse(arguments, with: options, operand, into: &settings)
    } catch {
      Terminal.complain("bridge \(name): \(error.text)\nTry 'bridge \(name) --help'.")
      return .usage
    }
    return run(settings)
  }

  static var help: String {
    let rows = options.map { option in
      (option.names.joined(separator: ", ") + (option.value.map { " " + $0 } ?? ""), option.help)
    }
    let usage = name + (options.isEmpty ? "" : " [options]") + (operand.map { " " + $0.value } ?? "")
    return "Usage: bridge \(usage)\n\n\(discussion)\n\nOptions:\n"
      + helpRows(rows + [("--help, -h", "This text.")])
  }
}

/// Two columns; a left side that is too long gets a line of its own.
func helpRows(_ rows: [(String, String)]) -> String {
  let width = 26
  return rows.map { left, right in
    let indented = right.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: width + 2))
    return left.count < width
      ? "  " + left + String(repeating: " ", count: width - left.count) + indented
      : "  " + left + "\n" + String(repeating: " ", count: width + 2) + indented
  }.joined(separator: "\n")
}
