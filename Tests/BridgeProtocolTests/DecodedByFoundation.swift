import BridgeProtocol
import FoundationEssentials

/// What Foundation's decoder makes of a text, to compare with ours.
struct DecodedByFoundation: Decodable {
  var value: JSONValue

  init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      var object: [String: JSONValue] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(Self.self, forKey: key).value }
      value = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(Self.self).value) }
      value = .array(array)
    } else {
      value = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let bool = try? container.decode(Bool.self) { return .bool(bool) }
    if let integer = try? container.decode(Int.self) { return .integer(integer) }
    if let double = try? container.decode(Double.self) { return .double(double) }
    return .string(try container.decode(String.self))
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension JSONValue {
  /// Equal but for numbers, which are equal if their values are: Foundation reads `1.0` as an integer.
  func means(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { key, value in right[key].map(value.means) ?? false }
    case (.integer, .double), (.double, .integer), (.double, .double): doubleValue == other.doubleValue
    default: self == other
    }
  }
}
