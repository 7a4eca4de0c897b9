/// One flag of a command: its names, its help and its effect, in one place.
struct Option<Settings> {
  /// `--socket`, maybe with a short form behind it.
  let names: [String]
  /// What stands for the value in help; nil for a switch.
  let value: String?
  let help: String
  let apply: (inout Settings, String) throws(UsageError) -> Void

  static func flag(_ names: String..., help: String, _ path: WritableKeyPath<Settings, Bool>) -> Option {
    Option(names: names, value: nil, help: help) { settings, _ in settings[keyPath: path] = true }
  }

  static func text(_ names: String..., value: String, help: String, _ path: WritableKeyPath<Settings, String>)
    -> Option
  {
    Option(names: names, value: value, help: help) { settings, text in settings[keyPath: path] = text }
  }

  static func parsed<Value>(
    _ names: String..., value: String, help: String, _ path: WritableKeyPath<Settings, Value>,
    expecting expected: String, _ parse: @escaping (String) -> Value?
  ) -> Option {
    let name = names[0]
    return Option(names: names, value: value, help: help) { (settings, text) throws(UsageError) in
      guard let value = parse(text) else { throw UsageError("\(name) takes \(expected), not '\(text)'") }
      settings[keyPath: path] = value
    }
  }
}

/// An argument without a flag.
struct Operand<Settings> {
  /// As help writes it: `[NUMBER]`.
  let value: String
  let apply: (inout Settings, String) throws(UsageError) -> Void
}

extension Option {
  /// The same option of settings that have these inside.
  func inside<Outer>(_ path: WritableKeyPath<Outer, Settings>) -> Option<Outer> {
    Option<Outer>(names: names, value: value, help: help) { (settings, text) throws(UsageError) in
      try apply(&settings[keyPath: path], text)
    }
  }
}

/// What is wrong with the command line, in a sentence.
struct UsageError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}

/// Applies arguments to settings; `--name value` and `--name=value` are the same.
func parse<Settings>(
  _ arguments: [String], with options: [Option<Settings>], _ operand: Operand<Settings>? = nil,
  into settings: inout Settings
) throws(UsageError) {
  var rest = arguments[...]
  while let argument = rest.popFirst() {
    if let operand, !argument.hasPrefix("-") {
      try operand.apply(&settings, argument)
      continue
    }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard argument.hasPrefix("-"), let option = options.first(where: { $0.names.contains(parts[0]) }) else {
      throw UsageError(argument.hasPrefix("-") ? "unknown option \(parts[0])" : "unexpected argument '\(argument)'")
    }
    if option.value == nil {
      if parts.count > 1 { throw UsageError("\(parts[0]) takes no value") }
      try option.apply(&settings, "")
    } else if parts.count > 1 {
      try option.apply(&settings, parts[1])
    } else {
      guard let value = rest.popFirst() else { throw UsageError("\(parts[0]) needs a value: \(option.value ?? "")") }
      try option.apply(&settings, value)
    }
  }
}
