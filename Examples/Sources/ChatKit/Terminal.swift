import Foundation

/// The person at the keyboard.
@MainActor
enum Terminal {
  static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Hands on what is typed, line by line; nil at the end.
  static func read(_ take: @escaping @MainActor @Sendable (String?) -> Void) {
    Thread.detachNewThread {
      while let line = readLine() { DispatchQueue.main.async { take(line) } }
      DispatchQueue.main.async { take(nil) }
    }
  }
}
