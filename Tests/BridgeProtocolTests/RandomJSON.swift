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

/// Damage to a text.
enum Mutation {
  private static let bytes = Array("{}[]:,\"\\/u0123456789.-+eEtrfalsn \t\r\u{1}é€😀".utf8) + [0xFF, 0xC0, 0xED, 0xA0]

  static func apply(to text: inout [UInt8], using random: inout some RandomNumberGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
      let index = Int.random(in: 0..<text.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: text.remove(at: index)
      case 1: text.insert(bytes.randomElement(using: &random)!, at: index)
      case 2: text[index] = bytes.randomElement(using: &random)!
      case 3: text.removeLast(text.count - index)
      default:
        let end = Int.random(in: index..<text.count, using: &random)
        text.insert(contentsOf: text[index...end], at: index)
      }
    }
  }
}
