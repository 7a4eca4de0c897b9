import Foundation

/// A running `bridge serve` with virtual devices, at a socket of its own.
public final class Service {
  public let socket: String
  public var environment: [String: String] { ["BRIDGE_SOCKET": socket] }
  private let folder: URL
  private let arguments: [String]
  private var program: Program?

  /// - Parameter configuration: the virtual devices.
  public init(configuration: String = #"{"name": "None", "devices": []}"#) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("bridge-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("devices.json")
    try Data(configuration.utf8).write(to: file)
    socket = folder.appendingPathComponent("s").path
    arguments = [
      "serve", "--radio", "mock", "--mock-config", file.path, "--socket", socket, "--state-dir", folder.path,
    ]
    try start()
  }

  deinit {
    program = nil
    try? FileManager.default.removeItem(at: folder)
  }

  public func start() throws { program = try Program(Self.bridge, arguments) }

  public func kill() { program = nil }

  public func program(_ name: String, _ arguments: String...) throws -> Program {
    try Program(name, arguments, environment: environment)
  }

  /// What `BRIDGE` names, else what is built beside the tests or in the repository.
  static var bridge: String {
    if let path = ProcessInfo.processInfo.environment["BRIDGE"] { return URL(fileURLWithPath: path).path }
    let beside = Program.folder.appendingPathComponent("bridge").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../.build/debug/bridge").standardized.path
  }
}
