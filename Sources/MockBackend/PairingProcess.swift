import BridgeIO
import BridgeProtocol
import Radio

/// One attempt to make a link as secure as an access needs.
@BridgeQueue
final class PairingProcess {
  private let peripheral: any VirtualPeripheral
  private let level: MockSecurityLevel
  private unowned let radio: VirtualRadio
  private var completion: (@BridgeQueue (Result<MockSecurityLevel, BluetoothError>) -> Void)?
  private var timer: QueueTimer?
  /// Whether it waits for `typed`.
  private(set) var isAsking = false

  init(
    of peripheral: any VirtualPeripheral, to level: MockSecurityLevel, _ radio: VirtualRadio,
    completion: @escaping @BridgeQueue (Result<MockSecurityLevel, BluetoothError>) -> Void
  ) {
    self.peripheral = peripheral
    self.level = level
    self.radio = radio
    self.completion = completion
  }

  func start() {
    let duration = peripheral.pairing.duration
    if duration == .zero { return proceed() }
    timer = QueueTimer(after: duration) { [weak self] in self?.proceed() }
  }

  private func proceed() {
    let mode = peripheral.pairing.mode
    if radio.options.compatibility == .impossible {
      return finish(mode == .passkey ? .failure(.insufficientAuthentication) : .success(.authentication))
    }
    switch mode {
    // What a server answers that cannot be paired with: the lack of what was needed.
    case .none: finish(.failure(.attribute(level == .encryption ? 0x0F : 0x05)))
    // Keys made without a person's help do not authenticate.
    case .justWorks: finish(level == .encryption ? .success(.encryption) : .failure(.attribute(0x05)))
    case .passkey: askPasskey()
    }
  }

  func cancel() {
    timer?.cancel()
    isAsking = false
    completion = nil
  }

  private func askPasskey() {
    if peripheral.pairing.entry == nil, let delegate = radio.pairingDelegate {
      startTimer()
      return delegate.radio(radio, wantsPasskeyOf: peripheral.id) { [weak self] text in self?.typed(text) }
    }
    switch peripheral.pairing.entry ?? radio.options.passkeyEntry {
    case .refused: typed(nil)
    case .correct: finish(.success(.authentication))
    case .digits(let text): typed(text)
    case .asked:
      isAsking = true
      startTimer()
      Log.notice(
        "mock", "\(peripheral.name ?? peripheral.id.text) shows its passkey; 'bridge mock passkey DIGITS' types it")
    }
  }

  private func startTimer() {
    timer = QueueTimer(after: radio.options.pairingTimeout) { [weak self] in self?.finish(.failure(.attribute(0x0F))) }
  }

  func typed(_ text: String?) {
    let passkey = peripheral.pairing.passkey
    let isRight = text.map { passkey.isEmpty ? MockDevice.isPasskey($0) : $0 == passkey } ?? false
    finish(isRight ? .success(.authentication) : .failure(.attribute(0x05)))
  }

  private func finish(_ result: Result<MockSecurityLevel, BluetoothError>) {
    timer?.cancel()
    isAsking = false
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}

extension BluetoothError {
  /// In ImpossiBLE's words.
  fileprivate static let insufficientAuthentication = attribute(0x05).saying("Insufficient authentication")
}
