/// Any JSON value, for the parts of a message that are handed on as they are.
///
/// Depth and number of values are bounded by `ProtocolLimits`.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// Finite.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  /// The member with that key; nil if this is not an object or has none.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  public var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// A number without fraction that fits.
  public var intValue: Int? {
    switch self {
    case .integer(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  public var arrayValue: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  public var objectValue: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// True and false, and the numbers 0 and 1.
  public var boolValue: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(0), .double(0): false
    case .integer(1), .double(1): true
    default: nil
    }
  }

  /// Reads a parsed value. A number past the range of a Double is an error; of repeated keys the first counts.
  init(_ item: JSONItem) throws(FieldProblem) {
    switch item.kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .integer, .number:
      if item.kind == .integer, let value = item.int {
        self = .integer(value)
      } else if let value = item.double {
        self = .double(value)
      } else {
        throw .outOfRange
      }
    case .plainString, .escapedString: self = .string(item.string ?? "")
    case .array:
      var elements: [JSONValue] = []
      try item.forEachElement { element throws(FieldProblem) in elements.append(try JSONValue(element)) }
      self = .array(elements)
    case .object:
      var members: [String: JSONValue] = [:]
      try item.forEachMember { key, value throws(FieldProblem) in
        let value = try JSONValue(value)
        let key = key.string ?? ""
        if members[key] == nil { members[key] = value }
      }
      self = .object(members)
    }
  }
}

extension JSONValue {
  /// Why a text gives no value.
  public enum ParsingError: Error, Hashable, Sendable {
    case notJSON(JSONSyntaxError)
    case numberOutOfRange
  }

  /// Parses one JSON text, white space around it allowed.
  public init(json: some Collection<UInt8>) throws(ParsingError) {
    self = try Array(json).withUnsafeBufferPointer(Self.parse).get()
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, ParsingError> {
    do throws(JSONSyntaxError) {
      return try JSONItem.parsing(bytes) { item in
        do throws(FieldProblem) { return .success(try JSONValue(item)) } catch { return .failure(.numberOutOfRange) }
      }
    } catch { return .failure(.notJSON(error)) }
  }

  /// The value as one line of JSON, keys sorted, LF included.
  public func jsonLine() -> [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    var line: [UInt8] = []
    writer.finish(into: &line)
    return line
  }
}
