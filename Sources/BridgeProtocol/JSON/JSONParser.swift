/// Checks one JSON text (RFC 8259, nothing looser) and lists its values in order, without copying any.
///
/// Written by hand because `JSONDecoder` needs about five times as long per message (docs/protocol.md), which
/// counts on the way of a read. A member of an object is two tokens: the key, then the value.
struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var tokens: [JSONToken] = []
  private let maximumValues: Int

  /// The tokens of the one value in `bytes`; the first is the whole value.
  static func tokens(
    of bytes: UnsafeBufferPointer<UInt8>, maximumValues: Int = ProtocolLimits.maximumValuesPerLine
  ) throws(JSONSyntaxError) -> [JSONToken] {
    guard bytes.count <= Int(UInt32.max) else { throw JSONSyntaxError(.tooManyValues, at: 0) }
    var parser = JSONParser(bytes: bytes, maximumValues: maximumValues)
    parser.tokens.reserveCapacity(min(32, bytes.count + 1))
    try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw JSONSyntaxError(.trailingBytes, at: parser.position) }
    return parser.tokens
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, maximumValues: Int) {
    self.bytes = bytes
    self.maximumValues = maximumValues
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONSyntaxError) {
    skipSpace()
    guard tokens.count < maximumValues else { throw error(.tooManyValues) }
    switch try peek() {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): try object(depth: depth + 1)
    case UInt8(ascii: "["): try array(depth: depth + 1)
    case UInt8(ascii: "t"): try literal("true", .true)
    case UInt8(ascii: "f"): try literal("false", .false)
    case UInt8(ascii: "n"): try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw error(.unexpectedCharacter)
    }
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) {
    let index = try open(.object, depth: depth)
    if skip(UInt8(ascii: "}")) { return close(index) }
    while true {
      skipSpace()
      guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedCharacter) }
      try string()
      skipSpace()
      guard try peek() == UInt8(ascii: ":") else { throw error(.unexpectedCharacter) }
      position += 1
      try value(depth: depth)
      if skip(UInt8(ascii: ",")) { continue }
      if skip(UInt8(ascii: "}")) { return close(index) }
      throw error(position < bytes.count ? .unexpectedCharacter : .unexpectedEnd)
    }
  }

  private mutating func array(depth: Int) throws(JSONSyntaxError) {
    let index = try open(.array, depth: depth)
    if skip(UInt8(ascii: "]")) { return close(index) }
    while true {
      try value(depth: depth)
      if skip(UInt8(ascii: ",")) { continue }
      if skip(UInt8(ascii: "]")) { return close(index) }
      throw error(position < bytes.count ? .unexpectedCharacter : .unexpectedEnd)
    }
  }

  private mutating func open(_ kind: JSONToken.Kind, depth: Int) throws(JSONSyntaxError) -> Int {
    guard depth <= ProtocolLimits.maximumDepth else { throw error(.tooDeep) }
    append(kind, from: position, to: position)
    position += 1
    return tokens.count - 1
  }

  private mutating func close(_ index: Int) {
    tokens[index].end = UInt32(truncatingIfNeeded: position)
    tokens[index].next = UInt32(truncatingIfNeeded: tokens.count)
  }

  private mutating func literal(_ text: StaticString, _ kind: JSONToken.Kind) throws(JSONSyntaxError) {
    let start = position
    for index in 0..<text.utf8CodeUnitCount {
      guard try peek() == text.utf8Start[index] else { throw error(.unexpectedCharacter) }
      position += 1
    }
    append(kind, from: start, to: position)
  }

  // MARK: Numbers

  private mutating func number() throws(JSONSyntaxError) {
    let start = position
    var kind = JSONToken.Kind.integer
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position
    try digits()
    // A leading zero stands alone.
    if bytes[first] == UInt8(ascii: "0"), position > first + 1 { throw JSONSyntaxError(.badNumber, at: first) }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      kind = .number
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      kind = .number
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      try digits()
    }
    append(kind, from: start, to: position)
  }

  /// One digit or more.
  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    if position == start { throw error(position < bytes.count ? .badNumber : .unexpectedEnd) }
  }

  // MARK: Strings

  private mutating func string() throws(JSONSyntaxError) {
    position += 1
    let start = position
    var kind = JSONToken.Kind.plainString
    while true {
      position = PlainText.end(in: bytes, from: position)
      guard position < bytes.count else { throw error(.unexpectedEnd) }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        append(kind, from: start, to: position)
        position += 1
        return
      }
      if byte == UInt8(ascii: "\\") {
        kind = .escapedString
        try escape()
      } else if byte >= 0x80 {
        position += try utf8Length()
      } else {
        throw error(.controlCharacter)
      }
    }
  }

  private mutating func escape() throws(JSONSyntaxError) {
    let start = position
    position += 1
    switch try peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      let unit = try hexUnit()
      if UTF16.isTrailSurrogate(unit) { throw JSONSyntaxError(.loneSurrogate, at: start) }
      guard UTF16.isLeadSurrogate(unit) else { return }
      guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
      else { throw JSONSyntaxError(.loneSurrogate, at: start) }
      position += 2
      guard UTF16.isTrailSurrogate(try hexUnit()) else { throw JSONSyntaxError(.loneSurrogate, at: start) }
    default: throw JSONSyntaxError(.badEscape, at: start)
    }
  }

  private mutating func hexUnit() throws(JSONSyntaxError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = hexValue(try peek()) else { throw error(.badEscape) }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// The length of the well-formed sequence that starts here (Unicode 16.0, table 3-7).
  private func utf8Length() throws(JSONSyntaxError) -> Int {
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch bytes[position] {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: throw error(.invalidUTF8)
      }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { throw error(.invalidUTF8) }
    for index in position + 2..<max(position + 2, position + length) where bytes[index] & 0xC0 != 0x80 {
      throw error(.invalidUTF8)
    }
    return length
  }

  // MARK: Bytes

  private func peek() throws(JSONSyntaxError) -> UInt8 {
    guard position < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  /// Skips white space, then `byte` if it stands there.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
    tokens.append(
      JSONToken(
        kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
        next: UInt32(truncatingIfNeeded: tokens.count + 1)))
  }

  private func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError { JSONSyntaxError(reason, at: position) }
}
