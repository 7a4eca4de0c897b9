import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport

/// Gives a service scripted radios, and notes what it is given.
@BridgeQueue
final class ScriptedFactory: WorldFactory {
  private let hardware: ScriptedRadio
  private(set) var hardwareCount = 0
  /// All that were made, in order.
  private(set) var mocks: [ScriptedRadio] = []
  var configurations: [String: MockConfiguration] = [:]
  /// Called when a configuration is wanted.
  var onLoad: (@BridgeQueue () -> Void)?
  private(set) var remembered: [RadioChoice] = []

  init(hardware: ScriptedRadio) { self.hardware = hardware }

  /// The same each time: a test has only one adapter.
  func makeHardwareRadio() -> any Radio {
    hardwareCount += 1
    return hardware
  }

  func makeMockRadio(_ configuration: MockConfiguration) -> any MockRadio {
    let radio = ScriptedRadio(configuration)
    mocks.append(radio)
    return radio
  }

  func loadConfiguration(
    named name: String, completion: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void
  ) {
    onLoad?()
    BridgeQueue.async {
      completion(
        self.configurations[name].map { .success($0) } ?? .failure(.invalidParameters.saying("no \(name) here")))
    }
  }

  func remember(_ choice: RadioChoice) { remembered.append(choice) }
}
