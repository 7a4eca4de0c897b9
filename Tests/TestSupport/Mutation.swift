/// Damage to a text.
package enum Mutation {
  private static let bytes = Array("{}[]:,\"\\/u0123456789.-+eEtrfalsn \t\r\u{1}é€😀".utf8) + [0xFF, 0xC0, 0xED, 0xA0]

  package static func apply(to text: inout [UInt8], using random: inout some RandomNumberGenerator) {
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
