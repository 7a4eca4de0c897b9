@preconcurrency import CoreBluetooth

/// The central's side: joins the first chat that it finds, and looks for it again when it is lost.
@MainActor
final class ChatGuest: NSObject, Chatting {
  private let name: String
  private var manager: CBCentralManager!
  private var host: CBPeripheral?
  /// As advertised: once connected, `CBPeripheral.name` is the name of the host's machine.
  private var hostName = "somebody"
  private var isLeaving = false
  private var inbox: CBCharacteristic?
  private var channel: LongMessages?

  init(name: String) {
    self.name = name
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func say(_ text: String) {
    guard let host, let inbox else { return Terminal.print("* nobody is there to hear it") }
    let message = "\(name): \(text)"
    if message.utf8.count <= host.maximumWriteValueLength(for: .withResponse) {
      host.writeValue(Data(message.utf8), for: inbox, type: .withResponse)
    } else if let channel {
      channel.send(message)
    } else {
      Terminal.print("* too long")
    }
  }

  func leave() {
    isLeaving = true
    if let host { manager.cancelPeripheralConnection(host) }
  }

  private func search() {
    (host, inbox, channel) = (nil, nil, nil)
    if manager.state == .poweredOn, !isLeaving { manager.scanForPeripherals(withServices: [ChatService.uuid]) }
  }
}

extension ChatGuest: @preconcurrency CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: search()
    case .unknown: break
    default: Terminal.print("* Bluetooth is not available")
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    central.stopScan()
    host = peripheral
    hostName = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? "somebody"
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([ChatService.uuid])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    search()
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    Terminal.print("* \(hostName) has gone: \(error?.localizedDescription ?? "good-bye")")
    search()
  }
}

extension ChatGuest: @preconcurrency CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      switch characteristic.uuid {
      case ChatService.inbox: inbox = characteristic
      case ChatService.outbox: peripheral.setNotifyValue(true, for: characteristic)
      case ChatService.psm: peripheral.readValue(for: characteristic)
      default: break
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if let error { return Terminal.print("* \(error.localizedDescription)") }
    if characteristic.isNotifying { Terminal.print("* in the chat of \(hostName)") }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil, let value = characteristic.value else { return }
    switch characteristic.uuid {
    case ChatService.outbox: Terminal.print(String(decoding: value, as: UTF8.self))
    case ChatService.psm where value.count == 2:
      peripheral.openL2CAPChannel(CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8)
    default: break
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { Terminal.print("* not delivered: \(error.localizedDescription)") }
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else { return }
    self.channel = LongMessages(over: channel) { Terminal.print($0) }
    Terminal.print("* long messages are possible")
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    peripheral.discoverServices([ChatService.uuid])
  }
}
