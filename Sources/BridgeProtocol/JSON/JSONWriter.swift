/// Appends JSON to a line, without spaces, commas placed by itself; a value that JSON cannot hold becomes null.
package struct JSONWriter {
  package private(set) var bytes: [UInt8]

  /// Takes over what `line` holds, so that appending copies nothing; `finish(into:)` gives it back.
  package init(appendingTo line: inout [UInt8]) {
    bytes = []
    swap(&bytes, &line)
  }

  package init() { bytes = [] }

  /// What is written, without a line end.
  mutating func finish() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Ends the line with LF and gives the bytes back.
  package mutating func finish(into line: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    swap(&bytes, &line)
  }

  // MARK: Structure

  package mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  package mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// A key known to need no escapes.
  package mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Puts the comma that the next key or value needs. No value ends in one of the bytes that excuse it.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): return
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  // MARK: Values

  package mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A string known to need no escapes.
  package mutating func string(_ text: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func base64(_ value: [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    Base64.encode(value, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func uuid(_ uuid: BluetoothUUID) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    uuid.appendText(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func peripheral(_ peripheral: PeripheralIdentifier) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    appendHex128(peripheral.high, peripheral.low, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func int(_ value: Int) {
    separate()
    bytes.appendDecimal(value)
  }

  package mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  package mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Keys in sorted order, so that equal values give equal text.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): int(value)
    case .double(let value): double(value)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members): object(members)
    }
  }

  package mutating func object(_ members: [String: JSONValue]) {
    beginObject()
    for (key, member) in members.sorted(by: { $0.key < $1.key }) {
      self.key(key)
      value(member)
    }
    endObject()
  }

  /// A parsed value as it was written, but for the white space.
  mutating func copy(_ item: JSONItem) {
    switch item.kind {
    case .object:
      beginObject()
      item.forEachMember { key, value in
        copyKey(key)
        copy(value)
      }
      endObject()
    case .array:
      beginArray()
      item.forEachElement { copy($0) }
      endArray()
    default:
      separate()
      bytes.append(contentsOf: item.source)
    }
  }

  mutating func copyKey(_ key: JSONItem) {
    separate()
    bytes.append(contentsOf: key.source)
    bytes.append(UInt8(ascii: ":"))
  }

  // MARK: Escapes

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var index = 0
    while true {
      index = PlainText.end(in: text, from: index)
      guard index < text.count else { break }
      if text[index] < 0x80 {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
        appendEscape(text[index])
        start = index + 1
      }
      index += 1
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x00..<0x20:
      bytes.append(contentsOf: "u00".utf8)
      appendHex(UInt64(byte), digits: 2, to: &bytes)
    default: bytes.append(byte)
    }
  }
}

extension [UInt8] {
  mutating func appendDecimal(_ value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var divisor: UInt = 1
    while magnitude / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
      divisor /= 10
    }
  }
}
