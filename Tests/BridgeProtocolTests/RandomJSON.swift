import BridgeProtocol

/// Random values and texts of all sorts.
enum RandomJSON {
  static func value(depth: Int, using random: inout some RandomNumberGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .integer(Int.random(in: -1000...1000, using: &random))
    case 3: .integer(Int(truncatingIfNeeded: UInt64.random(in: 0...UInt64.max, using: &random)))
    case 4: .double(Double.random(in: -1e9...1e9, using: &random))
    case 5: .string(text(using: &random))
    case 6: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
    default: .object(object(depth: depth - 1, using: &random))
    }
  }

  static func object(depth: Int, using random: inout some RandomNumberGenerator) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      members[text(using: &random)] = value(depth: depth, using: &random)
    }
    return members
  }

  private static let characters = Array("abcXYZ019 .:-_/\\\"\n\r\t\u{0}\u{1F}\u{7F}é€😀\u{2028}日")

  static func text(using random: inout some RandomNumberGenerator) -> String {
    String((0..<Int.random(in: 0...24, using: &random)).map { _ in characters.randomElement(using: &random)! })
  }
}
