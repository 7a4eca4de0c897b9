import BlueZBackend
import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import Radio

/// The radios of `bridge serve`: bluetoothd's and virtual ones; keeps what is chosen in the state directory.
@BridgeQueue
final class ServiceRadios: WorldFactory {
  private let bluez: BlueZConfiguration
  private let mock: VirtualRadioOptions
  private let stateDirectory: String
  private let library: ConfigurationLibrary
  private var saved: SavedChoice
  private var isSaving = false
  private var savingCompletion: (@BridgeQueue () -> Void)?

  init(bluez: BlueZConfiguration, mock: VirtualRadioOptions, stateDirectory: String, saved: SavedChoice) {
    self.bluez = bluez
    self.mock = mock
    self.stateDirectory = stateDirectory
    self.saved = saved
    library = ConfigurationLibrary(stateDirectory: stateDirectory)
  }

  func makeHardwareRadio() -> any Radio { BlueZRadio(bluez) }

  func makeMockRadio(_ configuration: MockConfiguration) -> any MockRadio {
    VirtualRadio(configuration: configuration, options: mock)
  }

  func makeHostedWorld() -> (any HostedWorld)? {
    var options = VirtualHostedWorld.Options()
    options.radio = mock
    return VirtualHostedWorld(options: options)
  }

  func loadConfiguration(
    named name: String, completion: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void
  ) {
    let completion = Handover(completion)
    let library = library
    Task.detached {
      let result = Result { () throws(ConfigurationFailure) in try library.configuration(named: name) }
      BridgeQueue.async {
        completion.body(result.mapError { .invalidParameters.saying($0.text) })
      }
    }
  }

  // MARK: Remembering

  func remember(_ choice: RadioChoice) {
    saved.mode = choice.mode
    // A file named at start is no name to find it by.
    if library.knows(choice.configuration.name) { saved.mockConfiguration = choice.configuration.name }
    save()
  }

  /// One write at a time, so that the last choice is what stays.
  private func save() {
    guard !isSaving else { return }
    isSaving = true
    let (saved, stateDirectory) = (saved, stateDirectory)
    Task.detached {
      do throws(SystemError) { try saved.save(in: stateDirectory) } catch {
        Log.error("serve", "the choice is not remembered in \(stateDirectory): \(error)")
      }
      BridgeQueue.async { self.didSave(saved) }
    }
  }

  private func didSave(_ written: SavedChoice) {
    isSaving = false
    if written != saved { return save() }
    savingCompletion?()
    savingCompletion = nil
  }

  /// Waits for what is being written.
  func finish(completion: @escaping @BridgeQueue () -> Void) {
    if isSaving { savingCompletion = completion } else { completion() }
  }
}

/// A completion on its way through another thread; called on the queue only, where it came from.
private struct Handover: Sendable {
  let body: @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void
  init(_ body: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void) { self.body = body }
}
