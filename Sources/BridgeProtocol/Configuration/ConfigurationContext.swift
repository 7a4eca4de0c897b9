/// What goes along while a configuration is read: how strictly, and the mistakes so far.
final class ConfigurationContext {
  enum Mode {
    /// An upload: what ImpossiBLE's provider accepts, and nothing that reaches into this machine.
    case strict
    /// A local file: what is absent has a default.
    case lenient
  }

  let text: JSONText
  let mode: Mode
  private var found: [(problem: ConfigurationProblem, offset: Int)] = []
  /// Files, programs and sockets that the configuration names.
  private var named: [(target: LocalReference.Target, path: String, offset: Int)] = []

  /// More would help nobody.
  private static let limit = 200

  init(_ text: JSONText, mode: Mode) {
    self.text = text
    self.mode = mode
  }

  // MARK: Finding

  func report(_ problem: FieldProblem, at item: JSONItem) { report(problem.description, at: item) }

  /// - Parameter path: the field inside `item`, if it is not `item` itself.
  func report(
    _ reason: String, path: String = "", at item: JSONItem, severity: ConfigurationProblem.Severity = .error
  ) {
    guard found.count < Self.limit else { return }
    found.append((ConfigurationProblem(severity, path: path, reason: reason), item.offset))
  }

  /// For files only: an upload is answered by yes or no.
  func warn(_ reason: String, path: String = "", at item: JSONItem) {
    if mode == .lenient { report(reason, path: path, at: item, severity: .warning) }
  }

  // MARK: Naming

  /// - Parameter path: the field inside what is read now.
  func name(_ target: LocalReference.Target, path: String, at item: JSONItem) {
    if mode == .lenient { named.append((target, path, item.offset)) }
  }

  // MARK: Places

  /// Reads something inside: puts `outer` before the path of each problem found in it.
  func inside<Result>(_ outer: @autoclosure () -> String, _ body: () -> Result) -> Result {
    let (start, firstName) = (found.count, named.count)
    let result = body()
    guard found.count > start || named.count > firstName else { return result }
    let outer = outer()
    for index in start..<found.count {
      found[index].problem.path = Self.path(outer, found[index].problem.path)
    }
    for index in firstName..<named.count { named[index].path = Self.path(outer, named[index].path) }
    return result
  }

  private static func path(_ outer: String, _ inner: String) -> String {
    inner.isEmpty || inner.hasPrefix("[") ? outer + inner : "\(outer).\(inner)"
  }

  // MARK: Results

  /// In the order of the text.
  var problems: [ConfigurationProblem] {
    let found = found.sorted { $0.offset < $1.offset }
    let places = text.bytes.places(of: found.map(\.offset))
    return zip(found, places).map { found, place in
      var problem = found.problem
      (problem.line, problem.column) = place
      return problem
    }
  }

  /// In the order of the text, their folders still to be told.
  var references: [LocalReference] {
    let named = named.sorted { $0.offset < $1.offset }
    return zip(named, text.bytes.places(of: named.map(\.offset))).map { named, place in
      LocalReference(target: named.target, path: named.path, line: place.line, column: place.column)
    }
  }

  var firstError: ConfigurationProblem? {
    guard let first = found.filter({ $0.problem.severity == .error }).min(by: { $0.offset < $1.offset }) else {
      return nil
    }
    var problem = first.problem
    (problem.line, problem.column) = text.bytes.place(of: first.offset)
    return problem
  }
}
