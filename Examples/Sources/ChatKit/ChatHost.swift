@preconcurrency import CoreBluetooth

/// The peripheral's side: tells each guest what the host and the other guests say.
@MainActor
final class ChatHost: NSObject, Chatting {
  private let name: String
  private var manager: CBPeripheralManager!
  private let outbox = CBMutableCharacteristic(
    type: ChatService.outbox, properties: .notify, value: nil, permissions: .readable)
  /// Messages that found the queue full, and for whom.
  private var waiting: [(message: Data, centrals: [CBCentral]?)] = []
  private var channels: [UUID: LongMessages] = [:]
  private var psm: CBL2CAPPSM?

  init(name: String) {
    self.name = name
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func say(_ text: String) { tell("\(name): \(text)", to: outbox.subscribedCentrals ?? []) }

  func leave() {
    manager.stopAdvertising()
    manager.removeAllServices()
  }

  private func tell(_ message: String, to centrals: [CBCentral]) {
    let data = Data(message.utf8)
    let short = centrals.filter { data.count <= $0.maximumUpdateValueLength }
    if !short.isEmpty {
      waiting.append((data, short))
      notify()
    }
    for central in centrals where !short.contains(central) { channels[central.identifier]?.send(message) }
  }

  private func notify() {
    while let next = waiting.first {
      guard manager.updateValue(next.message, for: outbox, onSubscribedCentrals: next.centrals) else { return }
      waiting.removeFirst()
    }
  }

  private func heard(_ message: String, from central: CBCentral) {
    Terminal.print(message)
    tell(message, to: (outbox.subscribedCentrals ?? []).filter { $0.identifier != central.identifier })
  }

  private func publish() {
    let inbox = CBMutableCharacteristic(
      type: ChatService.inbox, properties: .write, value: nil, permissions: .writeable)
    let psm = CBMutableCharacteristic(type: ChatService.psm, properties: .read, value: nil, permissions: .readable)
    let service = CBMutableService(type: ChatService.uuid, primary: true)
    service.characteristics = [inbox, outbox, psm]
    manager.add(service)
  }
}

extension ChatHost: @preconcurrency CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn: peripheral.publishL2CAPChannel(withEncryption: false)
    case .unknown: break
    default: Terminal.print("* Bluetooth is not available")
    }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel psm: CBL2CAPPSM, error: (any Error)?
  ) {
    if let error { Terminal.print("* no long messages: \(error.localizedDescription)") } else { self.psm = psm }
    publish()
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return Terminal.print("* no chat: \(error.localizedDescription)") }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [ChatService.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    Terminal.print(error.map { "* not to be found: \($0.localizedDescription)" } ?? "* waiting for guests")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { Terminal.print("* a guest has come") }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    channels[central.identifier] = nil
    Terminal.print("* a guest has left")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard let psm else { return peripheral.respond(to: request, withResult: .readNotPermitted) }
    request.value = withUnsafeBytes(of: psm.littleEndian) { Data($0) }
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    let messages = requests.map { $0.value.flatMap { String(data: $0, encoding: .utf8) } }
    // All of them, or none.
    let isText = messages.allSatisfy { $0 != nil }
    peripheral.respond(to: requests[0], withResult: isText ? .success : .unlikelyError)
    guard isText else { return }
    for (request, message) in zip(requests, messages) { heard(message ?? "", from: request.central) }
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { notify() }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel, let central = channel.peer as? CBCentral else { return }
    channels[central.identifier] = LongMessages(over: channel) { [weak self] in self?.heard($0, from: central) }
  }
}
