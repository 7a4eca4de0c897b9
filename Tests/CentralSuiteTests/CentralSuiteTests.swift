import BridgeIO
import BridgeProtocol
import BridgeServer
import CentralSuite
import CoreBluetooth
import Foundation
import MockBackend
import TestSupport
import Testing

/// The central suite with virtual devices: the service in the process, and in one of its own. `Tests/Lab/test_central_suite.py`
/// is the same with bluetoothd.
@Suite struct CentralSuiteTests {
  @Test func inProcess() async throws {
    let service = try await InProcessService()
    await check(service.endpoint)
    await service.stop()
  }

  @Test func overTheSocketOfAServiceWithVirtualDevices() async throws {
    let service = try ServiceProcess()
    await check(.socket(at: service.socket))
    service.stop()
  }

  private func check(_ endpoint: ServiceEndpoint) async {
    let suite = CentralSuite { delegate, queue, options in
      CBCentralManager(delegate: delegate, queue: queue, options: options, endpoint: endpoint, timing: Self.timing)
    }
    var count = 0
    await suite.run { result in
      count += 1
      if let problem = result.problem { Issue.record("\(result.check): \(problem)") }
    }
    #expect(count >= 29)
  }

  /// However slow the machine, the service's welcome is waited for.
  private static var timing: ServiceConnection.Timing {
    var timing = ServiceConnection.Timing()
    timing.greeting = .seconds(30)
    return timing
  }
}

/// The layout of the peripherals.
private enum Layout {
  static let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peripheral.json").path

  static func configuration() throws -> MockConfiguration {
    var problems: [ConfigurationProblem] = []
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let file = MockConfigurationFile(bytes, name: "Suite", problems: &problems)
    #expect(problems.isEmpty)
    return try #require(file.configurations.first)
  }
}

/// A service in this process, reached by socket pairs.
@BridgeQueue
private final class InProcessService {
  private let server: Server

  init() throws {
    let radio = VirtualRadio(configuration: try Layout.configuration())
    server = Server(configuration: ServerConfiguration(serverVersion: "1"), radio: radio)
    server.startInProcess()
  }

  nonisolated var endpoint: ServiceEndpoint {
    ServiceEndpoint { [self] in
      let (own, theirs) = try UnixSocket.pair().take()
      BridgeQueue.async { [self] in server.serve(FileDescriptor(owning: own)) }
      return FileDescriptor(owning: theirs)
    }
  }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }
}

/// The built `bridge serve`.
private final class ServiceProcess {
  private let folder = TemporaryFolder()
  private let process = Process()
  let socket: String

  init() throws {
    socket = folder.file("s")
    let program = try #require(Self.program, "bridge is not built")
    process.executableURL = program
    process.arguments = [
      "serve", "--radio", "mock", "--mock-config", Layout.path, "--socket", socket, "--state-dir",
      folder.file("state"),
    ]
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Beside the tests.
  private static var program: URL? {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let folders =
      [own.deletingLastPathComponent()] + CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
    return folders.map { $0.appending(path: "bridge") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  deinit { if process.isRunning { process.terminate() } }
}
