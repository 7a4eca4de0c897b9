import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import ReplayBackend

/// The worlds of `bridge replay`: one recording. Where the recorded client had brought virtual devices of its own, a client
/// may do so again, and gets the recording again.
@BridgeQueue
final class ReplayWorlds: WorldFactory {
  private let radio: ReplayRadio
  private var isServed = false

  init(_ radio: ReplayRadio) { self.radio = radio }

  func server(_ configuration: ServerConfiguration) -> Server {
    radio.tookConfigurations
      ? Server(
        configuration: configuration, choice: RadioChoice(mode: .mock, configuration: radio.configuration),
        factory: self)
      : Server(configuration: configuration, radio: radio)
  }

  /// For who wonders why the app fails otherwise than it did.
  func tellDifference() {
    guard let difference = radio.firstDifference else { return }
    Log.notice("replay", "the first difference was: \(difference)")
  }

  // MARK: WorldFactory

  /// For who switches the mode: there is nothing but the recording.
  func makeHardwareRadio() -> any Radio { ReplayRadio(sharing: radio, configuration: radio.configuration) }

  /// The first is what all clients see, the others are clients' own.
  func makeMockRadio(_ configuration: MockConfiguration) -> any MockRadio {
    defer { isServed = true }
    return isServed ? uploaded(configuration) : radio
  }

  private func uploaded(_ configuration: MockConfiguration) -> ReplayRadio {
    let own = ReplayRadio(sharing: radio, configuration: configuration)
    own.configured()
    return own
  }

  func loadConfiguration(
    named name: String, completion: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void
  ) {
    BridgeQueue.async { completion(.failure(.invalidParameters.saying("A recording is served."))) }
  }

  func remember(_ choice: RadioChoice) {}
}
