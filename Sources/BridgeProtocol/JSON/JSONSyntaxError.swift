/// Why a text is not JSON, and at which byte that showed.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: String, Sendable {
    case unexpectedEnd = "ends too early"
    case unexpectedCharacter = "unexpected character"
    case trailingBytes = "more after the value"
    case badEscape = "bad escape sequence"
    case loneSurrogate = "lone surrogate"
    case controlCharacter = "control character inside a string"
    case invalidUTF8 = "invalid UTF-8"
    case badNumber = "malformed number"
    case tooDeep = "nested too deep"
    case tooManyValues = "too many values"
  }

  public var reason: Reason
  /// Counted in bytes from the start of the line.
  public var offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
