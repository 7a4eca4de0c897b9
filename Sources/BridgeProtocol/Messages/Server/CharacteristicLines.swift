/// The two replies that hold up the way of every value, prepared once for each characteristic: what they say beside
/// the value never changes.
public struct CharacteristicLines: Sendable {
  private let beforeValue: [UInt8]
  private let afterValue: [UInt8]
  private let written: [UInt8]

  public init(id: PeripheralIdentifier, characteristicId: String) {
    var line: [UInt8] = []
    DidUpdateValue(id: id, characteristicId: characteristicId, value: []).appendLine(to: &line, for: [])
    // The value's key is the last one that is followed by an empty string and `error`.
    let end = Array("\",\"error\":\"\"}\n".utf8)
    precondition(line.suffix(end.count).elementsEqual(end), "the line of a value ends in another way")
    beforeValue = Array(line.dropLast(end.count))
    afterValue = end
    line = []
    DidWriteValue(id: id, characteristicId: characteristicId).appendLine(to: &line, for: [])
    written = line
  }

  /// Appends what `DidUpdateValue` without error is, LF included.
  public func appendValue(_ value: [UInt8], to line: inout [UInt8]) {
    line.append(contentsOf: beforeValue)
    Base64.encode(value, into: &line)
    line.append(contentsOf: afterValue)
  }

  /// Appends what `DidWriteValue` without error is, LF included.
  public func appendWritten(to line: inout [UInt8]) { line.append(contentsOf: written) }
}
