import Glibc

/// A folder for one test, removed with all in it when the test lets go of it.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    var template = Array("/tmp/bridge-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no folder in /tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  public func file(_ name: String) -> String { "\(path)/\(name)" }

  public func write(_ text: String, to name: String) {
    guard let file = fopen(file(name), "w") else { fatalError("cannot write \(name)") }
    fputs(text, file)
    fclose(file)
  }

  /// nil if there is no such file.
  public func read(_ name: String) -> String? {
    guard let file = fopen(file(name), "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { Self.remove("\(path)/\(name)") }
      }
      closedir(directory)
    }
    Glibc.remove(path)
  }
}
