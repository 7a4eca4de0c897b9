import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import TestSupport

/// A service that serves one virtual world on a socket of its own.
@BridgeQueue
final class WorldService {
  let folder = TemporaryFolder()
  let radio: VirtualRadio
  let server: Server
  let path: String
  private(set) var uploads = 0

  init(
    _ configuration: MockConfiguration = MockConfiguration(name: "None"), options: VirtualRadioOptions = .init()
  ) throws {
    path = folder.file("s")
    radio = VirtualRadio(configuration: configuration, options: options)
    server = Server(
      configuration: ServerConfiguration(socketPath: path, policy: .shared, serverVersion: "1"), radio: radio)
    try server.start()
  }

  /// - Returns: whether it is a good one.
  func use(_ upload: JSONText) -> Bool {
    uploads += 1
    guard let configuration = try? MockConfiguration(upload: upload) else { return false }
    radio.configuration = configuration
    return true
  }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }
}
