/// One value of a parsed text, read where it lies; valid only inside the closure that was given it.
struct JSONItem {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let tokens: UnsafeBufferPointer<JSONToken>
  let index: Int

  init(bytes: UnsafeBufferPointer<UInt8>, tokens: UnsafeBufferPointer<JSONToken>, index: Int) {
    self.bytes = bytes
    self.tokens = tokens
    self.index = index
  }

  /// Parses `bytes` and hands the whole value to `body`.
  static func parsing<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (JSONItem) -> Result
  ) throws(JSONSyntaxError) -> Result {
    try JSONParser.tokens(of: bytes).withUnsafeBufferPointer { tokens in
      body(JSONItem(bytes: bytes, tokens: tokens, index: 0))
    }
  }

  private var token: JSONToken { tokens[index] }

  private func item(at index: Int) -> JSONItem { JSONItem(bytes: bytes, tokens: tokens, index: index) }

  var kind: JSONToken.Kind { token.kind }

  var isString: Bool { kind == .plainString || kind == .escapedString }

  /// The bytes of the value; of a string what stands between the quotes, escapes not undone.
  var raw: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[Int(token.start)..<Int(token.end)]) }

  /// The bytes of the value as it is written, a string's quotes included.
  var source: UnsafeBufferPointer<UInt8> {
    isString ? UnsafeBufferPointer(rebasing: bytes[Int(token.start) - 1..<Int(token.end) + 1]) : raw
  }

  /// Where `source` begins.
  var offset: Int { isString ? Int(token.start) - 1 : Int(token.start) }

  /// The tokens of `source` alone.
  var tokensOfItsOwn: [JSONToken] {
    let (offset, index) = (UInt32(self.offset), UInt32(self.index))
    return tokens[self.index..<Int(token.next)].map {
      JSONToken(kind: $0.kind, start: $0.start - offset, end: $0.end - offset, next: $0.next - index)
    }
  }

  // MARK: Containers

  /// The value of the first member with that key; nil if this is not an object or has none.
  subscript(key: StaticString) -> JSONItem? {
    guard kind == .object else { return nil }
    var member = index + 1
    while member < Int(token.next) {
      if item(at: member).equals(key) { return item(at: member + 1) }
      member = Int(tokens[member + 1].next)
    }
    return nil
  }

  /// Calls `body` with each element of an array.
  func forEachElement<Failure: Error>(_ body: (JSONItem) throws(Failure) -> Void) throws(Failure) {
    var element = index + 1
    while element < Int(token.next) {
      try body(item(at: element))
      element = Int(tokens[element].next)
    }
  }

  /// Calls `body` with key and value of each member of an object, repeated keys too.
  func forEachMember<Failure: Error>(_ body: (JSONItem, JSONItem) throws(Failure) -> Void) throws(Failure) {
    var member = index + 1
    while member < Int(token.next) {
      try body(item(at: member), item(at: member + 1))
      member = Int(tokens[member + 1].next)
    }
  }

  // MARK: Scalars

  var string: String? {
    switch kind {
    case .plainString: String(decoding: raw, as: UTF8.self)
    case .escapedString: String(decoding: unescaped(), as: UTF8.self)
    default: nil
    }
  }

  /// True and false, and the numbers 0 and 1 that some clients write for them.
  var bool: Bool? {
    switch kind {
    case .true: true
    case .false: false
    case .integer, .number:
      switch double {
      case 0: false
      case 1: true
      default: nil
      }
    default: nil
    }
  }

  /// A number without fraction that fits, `1.0` and `1e2` included.
  var int: Int? {
    switch kind {
    case .integer: Int(String(decoding: raw, as: UTF8.self))
    case .number: double.flatMap { Int(exactly: $0) }
    default: nil
    }
  }

  /// Finite.
  var double: Double? {
    guard kind == .integer || kind == .number else { return nil }
    guard let value = Double(String(decoding: raw, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// Whether a string's text is `text`.
  func equals(_ text: StaticString) -> Bool {
    switch kind {
    case .plainString: Self.same(raw, text)
    case .escapedString: unescaped().withUnsafeBufferPointer { Self.same($0, text) }
    default: false
    }
  }

  /// Calls `body` with a string's text as UTF-8; nil for anything but a string.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    switch kind {
    case .plainString: body(raw)
    case .escapedString: unescaped().withUnsafeBufferPointer { body($0) }
    default: nil
    }
  }

  private static func same(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where bytes[index] != text.utf8Start[index] { return false }
    return true
  }

  /// Undoes the escapes, whose form the parser has checked.
  private func unescaped() -> [UInt8] {
    let raw = raw
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var position = 0
    while position < raw.count {
      guard raw[position] == UInt8(ascii: "\\") else {
        text.append(raw[position])
        position += 1
        continue
      }
      let character = raw[position + 1]
      position += 2
      guard character == UInt8(ascii: "u") else {
        text.append(Self.control(character))
        continue
      }
      var scalar = Self.hexUnit(raw, at: position)
      position += 4
      if 0xD800..<0xDC00 ~= scalar {
        scalar = 0x10000 + (scalar - 0xD800) << 10 + (Self.hexUnit(raw, at: position + 2) - 0xDC00)
        position += 6
      }
      text.append(contentsOf: Character(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }
    return text
  }

  private static func control(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: character
    }
  }

  private static func hexUnit(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in position..<position + 4 { unit = unit << 4 | UInt32(hexValue(bytes[index]) ?? 0) }
    return unit
  }
}
