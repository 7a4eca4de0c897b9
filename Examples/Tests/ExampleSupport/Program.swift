import Foundation

/// A running program: what it prints, line by line, and what is typed into it. It ends with the test.
public final class Program {
  public let lines = Inbox<String>()
  private let ends = Inbox<Int32>()
  private let process = Process()
  private let input = Pipe()

  /// - Parameter name: of one that is built beside the tests, or a path.
  public init(_ name: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: name, relativeTo: Self.folder)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    let (output, ends) = (Pipe(), ends)
    process.standardOutput = output
    process.terminationHandler = { ends.add($0.terminationStatus) }
    try process.run()
    let (lines, reading) = (lines, output.fileHandleForReading)
    Thread.detachNewThread {
      var rest = Data()
      // Nothing comes of it any more when the program has ended.
      while case let data = reading.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          lines.add(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
    }
  }

  deinit { kill() }

  /// Where the programs and the tests are.
  static var folder: URL { Bundle.main.executableURL!.resolvingSymlinksInPath().deletingLastPathComponent() }

  public func type(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

  public func endInput() { try? input.fileHandleForWriting.close() }

  /// Without a chance to take leave.
  public func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// The status that it ends with.
  public func end() async throws -> Int32 { try await ends.next("end of the program") { $0 } }
}
