/// One JSON text, checked and kept whole, so that what is not understood can be written again as it stood.
public final class JSONText: Sendable {
  public let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Checks one JSON text, white space around it allowed.
  ///
  /// - Parameter maximumValues: keys and values together; more is an error.
  public init(
    _ bytes: some Collection<UInt8>, maximumValues: Int = ProtocolLimits.maximumValuesPerLine
  ) throws(JSONSyntaxError) {
    let bytes = Array(bytes)
    tokens = try bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(JSONSyntaxError) in try JSONParser.tokens(of: bytes, maximumValues: maximumValues) }
    }.get()
    self.bytes = bytes
  }

  /// The text of a value, keys sorted.
  public init(_ value: JSONValue) {
    var line = value.jsonLine()
    line.removeLast()
    bytes = line
    // What the writer wrote is JSON; only too much of it could fail, and a value has the same bounds.
    tokens = (try? line.withUnsafeBufferPointer { try JSONParser.tokens(of: $0, maximumValues: .max) }) ?? []
  }

  /// The part of a parsed text that `item` is.
  init(copying item: JSONItem) {
    bytes = Array(item.source)
    tokens = item.tokensOfItsOwn
  }

  /// Hands the whole value to `body`.
  func withRoot<Result>(_ body: (JSONItem) -> Result) -> Result { withItem(at: 0, body) }

  /// Hands the value of token `index` to `body`.
  func withItem<Result>(at index: Int, _ body: (JSONItem) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      tokens.withUnsafeBufferPointer { tokens in body(JSONItem(bytes: bytes, tokens: tokens, index: index)) }
    }
  }

  /// As a tree; nil if a number is past the range of a Double.
  public var value: JSONValue? { withRoot { try? JSONValue($0) } }
}

extension [UInt8] {
  /// Line and column of a byte, both from 1; the column counts characters.
  func place(of offset: Int) -> (line: Int, column: Int) { places(of: [offset])[0] }

  /// Those of several bytes, in their order, found in one pass.
  func places(of offsets: [Int]) -> [(line: Int, column: Int)] {
    var (next, line, column) = (0, 1, 1)
    return offsets.map { offset in
      let end = Swift.max(next, Swift.min(offset, count))
      for byte in self[next..<end] {
        if byte == UInt8(ascii: "\n") {
          (line, column) = (line + 1, 1)
        } else if byte & 0xC0 != 0x80 {
          column += 1
        }
      }
      next = end
      return (line, column)
    }
  }
}

/// Equal but for white space between the values.
extension JSONText: Hashable {
  public static func == (left: JSONText, right: JSONText) -> Bool {
    guard left !== right, left.tokens.count == right.tokens.count else { return left === right }
    return left.tokens.indices.allSatisfy { index in
      left.withItem(at: index) { one in
        right.withItem(at: index) { other in
          guard one.kind == other.kind else { return false }
          if one.kind == .object || one.kind == .array { return left.tokens[index].next == right.tokens[index].next }
          return one.raw.elementsEqual(other.raw)
        }
      }
    }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(tokens.count) }
}
