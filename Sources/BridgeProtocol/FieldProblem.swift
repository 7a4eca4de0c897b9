/// What is wrong with a field of a message.
public enum FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case missing
  /// Another JSON type than the one named.
  case not(Expected)
  case outOfRange
  case invalidUUID
  case invalidBase64
  /// A value that its type allows and its meaning does not; the text says why.
  case unsuitable(String)

  public enum Expected: String, Sendable {
    case string = "a string"
    case bool = "true or false"
    case integer = "an integer"
    case number = "a number"
    case array = "an array"
    case object = "an object"
  }

  public var description: String {
    switch self {
    case .missing: "missing"
    case .not(let expected): "not \(expected.rawValue)"
    case .outOfRange: "out of range"
    case .invalidUUID: "not a UUID"
    case .invalidBase64: "not base64"
    case .unsuitable(let reason): reason
    }
  }
}

/// A problem with the place where it is: `services[2]`, `options.kCBScanOptionAllowDuplicates`.
struct FieldError: Error {
  var name: String
  var problem: FieldProblem

  init(_ name: String, _ problem: FieldProblem) {
    self.name = name
    self.problem = problem
  }

  init(_ name: StaticString, _ problem: FieldProblem) { self.init(name.description, problem) }

  /// The same seen from one object further out.
  func inside(_ outer: String) -> FieldError { FieldError("\(outer).\(name)", problem) }
}
