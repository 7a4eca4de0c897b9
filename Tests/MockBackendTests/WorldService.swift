import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import Radio
import TestSupport

/// A service that serves one virtual world on a socket of its own, and lets clients bring theirs.
@BridgeQueue
final class WorldService {
  private let folder = TemporaryFolder()
  private let factory: Factory
  let server: Server
  let path: String

  init(
    _ configuration: MockConfiguration = MockConfiguration(name: "None"), options: VirtualRadioOptions = .init()
  ) throws {
    path = folder.file("s")
    factory = Factory(options)
    server = Server(
      configuration: ServerConfiguration(socketPath: path, policy: .shared, serverVersion: "1"),
      choice: RadioChoice(mode: .mock, configuration: configuration), factory: factory)
    try server.start()
  }

  /// That of the service itself.
  var radio: VirtualRadio { factory.radios[0] }

  func stop() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      server.stop { continuation.resume() }
    }
  }
}

/// Makes virtual radios only.
@BridgeQueue
private final class Factory: WorldFactory {
  private let options: VirtualRadioOptions
  private(set) var radios: [VirtualRadio] = []

  init(_ options: VirtualRadioOptions) { self.options = options }

  func makeHardwareRadio() -> any Radio { makeMockRadio(MockConfiguration(name: "None")) }

  func makeMockRadio(_ configuration: MockConfiguration) -> any MockRadio {
    let radio = VirtualRadio(configuration: configuration, options: options)
    radios.append(radio)
    return radio
  }

  func loadConfiguration(
    named name: String, completion: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void
  ) { BridgeQueue.async { completion(.failure(.invalidParameters)) } }

  func remember(_ choice: RadioChoice) {}
}
