/// Lays out JSON for people: a member a line, two spaces a level; empty containers closed up.
enum JSONIndenter {
  /// - Parameter json: one value without white space, as `JSONWriter` writes it.
  static func indented(_ json: [UInt8]) -> [UInt8] {
    var layout = Layout()
    layout.result.reserveCapacity(json.count * 2)
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\""):
        let end = endOfString(json, from: index)
        layout.result.append(contentsOf: json[index..<end])
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): layout.open(json, at: &index)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): layout.close(json[index])
      case UInt8(ascii: ","): layout.newLine(after: json[index])
      case UInt8(ascii: ":"): layout.result.append(contentsOf: ": ".utf8)
      default: layout.result.append(json[index])
      }
      index += 1
    }
    layout.result.append(UInt8(ascii: "\n"))
    return layout.result
  }

  private static func endOfString(_ json: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < json.count, json[index] != UInt8(ascii: "\"") {
      index += json[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, json.count)
  }

  private struct Layout {
    var result: [UInt8] = []
    private var depth = 0

    mutating func open(_ json: [UInt8], at index: inout Int) {
      result.append(json[index])
      if index + 1 < json.count, json[index + 1] == UInt8(ascii: "}") || json[index + 1] == UInt8(ascii: "]") {
        index += 1
        return result.append(json[index])
      }
      depth += 1
      lineBreak()
    }

    mutating func close(_ byte: UInt8) {
      depth -= 1
      lineBreak()
      result.append(byte)
    }

    mutating func newLine(after byte: UInt8) {
      result.append(byte)
      lineBreak()
    }

    private mutating func lineBreak() {
      result.append(UInt8(ascii: "\n"))
      for _ in 0..<depth * 2 { result.append(UInt8(ascii: " ")) }
    }
  }
}
