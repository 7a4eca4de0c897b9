import BridgeIO
import BridgeProtocol
import MockBackend
import Radio

/// A peripheral that answers when the test says so; one service with a characteristic at handle 11 that can do everything.
@BridgeQueue
final class SlowPeripheral: VirtualPeripheral {
  nonisolated let id = PeripheralIdentifier("6F1C1D0A-3B52-4E0B-9C55-0A1B2C3D4E09")!
  weak var radio: VirtualRadio?
  let name: String? = "Slow"
  let rssi = -70
  var advertisement: AdvertisementData? = AdvertisementData(localName: "Slow", isConnectable: true)
  let services = [
    VirtualService(
      uuid: BluetoothUUID(short: 0xFF00),
      characteristics: [
        VirtualCharacteristic(
          uuid: BluetoothUUID(short: 0xFF01), properties: [.read, .write, .writeWithoutResponse, .notify])
      ])
  ]
  var isReachable = true
  var answersAtOnce = false
  var connectError: BluetoothError?
  private(set) var written: [[UInt8]] = []
  private(set) var readyCount = 0
  private(set) var disconnections = 0
  private var waiting: [@BridgeQueue () -> Void] = []

  func answerOne() { if !waiting.isEmpty { waiting.removeFirst()() } }

  func answerAll() { while !waiting.isEmpty { answerOne() } }

  private func wait(_ answer: @escaping @BridgeQueue () -> Void) {
    if answersAtOnce { answer() } else { waiting.append(answer) }
  }

  func connect(completion: @escaping RadioCompletion<Void>) {
    completion(connectError.map { .failure($0) } ?? .success(()))
  }

  func didDisconnect() { disconnections += 1 }

  func read(_ attribute: VirtualAttribute, offset: Int, completion: @escaping RadioCompletion<[UInt8]>) {
    wait { completion(.success([1])) }
  }

  func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>
  ) {
    written.append(value)
    wait { completion(.success(())) }
  }

  func setNotify(
    _ subscription: VirtualSubscription, _ characteristic: VirtualAttribute, completion: @escaping RadioCompletion<Void>
  ) { wait { completion(.success(())) } }

  func isReadyToNotify() { readyCount += 1 }
}
