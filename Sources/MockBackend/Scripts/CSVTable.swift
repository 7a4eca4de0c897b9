import BridgeIO
package import BridgeProtocol
import Glibc

/// A file of comma-separated values as values at their times.
package enum CSVTable {
  struct Problem: Error, Equatable {
    var reason: String
  }

  private static let maximumSize = 64 << 20
  static let maximumRows = 1_000_000
  static let maximumColumns = 4096

  /// Reads a file on a thread of its own.
  @BridgeQueue
  static func load(
    _ file: CSVFile, _ encoding: ValueEncoding, folder: String?,
    completion: @escaping @BridgeQueue (Result<[ValueSource.TimedValue], Problem>) -> Void
  ) {
    Thread.start(named: "csv") {
      let result: Result<[ValueSource.TimedValue], Problem>
      do throws(Problem) {
        result = .success(try values(of: try read(file.path.path(in: folder)), file, encoding))
      } catch { result = .failure(error) }
      BridgeQueue.async { completion(result) }
    }
  }

  /// Why a file gives no values; nil if it does. Reads the whole.
  package static func problem(of file: CSVFile, _ encoding: ValueEncoding, folder: String?) -> String? {
    do throws(Problem) {
      _ = try values(of: try read(file.path.path(in: folder)), file, encoding)
      return nil
    } catch { return error.reason }
  }

  private static func read(_ path: String) throws(Problem) -> String {
    // A pipe or a device could keep the thread for ever.
    var status = stat()
    guard stat(path, &status) == 0 else { throw Problem(reason: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem(reason: "no file") }
    do throws(SystemError) {
      guard let bytes = try WholeFile.read(path, limit: maximumSize) else {
        throw SystemError(call: "open", errno: ENOENT)
      }
      return String(decoding: bytes, as: UTF8.self)
    } catch { throw Problem(reason: error.description) }
  }

  /// - Throws: for a column that is not there, or rows that all hold no value.
  static func values(
    of text: String, _ file: CSVFile, _ encoding: ValueEncoding
  ) throws(Problem) -> [ValueSource.TimedValue] {
    var rows = rows(of: text)
    let header = file.hasNames ? (rows.isEmpty ? [] : rows.removeFirst()) : []
    let value = try index(of: file.value, in: header)
    let time = try file.time.map { column throws(Problem) in try index(of: column, in: header) }
    var values: [ValueSource.TimedValue] = []
    var begin: Double?
    for row in rows where row.indices.contains(value) {
      let cell = encoding.format == .text ? row[value][...] : row[value].trimmed
      guard let bytes = encoding.value(of: cell), bytes.count <= ProtocolLimits.maximumValueLength else { continue }
      guard let time else {
        values.append(ValueSource.TimedValue(bytes))
        continue
      }
      guard row.indices.contains(time), let seconds = Double(row[time].trimmed), seconds.isFinite else { continue }
      let at = (seconds - (begin ?? seconds)) / file.speed
      // Time does not go back.
      guard at >= values.last?.at ?? 0, at < 1e9 else { continue }
      begin = begin ?? seconds
      values.append(ValueSource.TimedValue(bytes, at: at))
    }
    if values.isEmpty { throw Problem(reason: "no row with a value") }
    return values
  }

  private static func index(of column: CSVFile.Column, in header: [String]) throws(Problem) -> Int {
    switch column {
    case .position(let index): return index
    case .named(let name):
      guard let index = header.firstIndex(where: { $0.trimmed == name }) else {
        throw Problem(reason: "no column '\(name)'")
      }
      return index
    }
  }

  /// What is past the largest table is left out.
  ///
  /// - Source: RFC 4180; line ends may be LF alone.
  static func rows(of text: String, limit: Int = maximumRows) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var wasQuote = false
    func endCell() {
      if row.count < maximumColumns { row.append(String(decoding: cell, as: UTF8.self)) }
      cell = []
    }
    func endRow() {
      guard !row.isEmpty || !cell.isEmpty else { return }
      endCell()
      rows.append(row)
      row = []
    }
    for byte in text.utf8 {
      // One more for names.
      if rows.count > limit { return rows }
      if isQuoted {
        if byte == UInt8(ascii: "\"") {
          isQuoted = false
          wasQuote = true
        } else {
          cell.append(byte)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        // A quote in quotes is written twice.
        if wasQuote { cell.append(byte) }
        isQuoted = true
      case UInt8(ascii: ","): endCell()
      case UInt8(ascii: "\n"): endRow()
      case UInt8(ascii: "\r"): break
      default: cell.append(byte)
      }
      wasQuote = false
    }
    endRow()
    return rows
  }
}

extension CSVFile {
  /// Whether the first row names the columns.
  fileprivate var hasNames: Bool {
    if case .named = value { return true }
    if case .named = time { return true }
    return false
  }
}
