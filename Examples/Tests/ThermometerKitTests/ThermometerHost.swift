@preconcurrency import CoreBluetoothEmulator
import ExampleSupport
import ThermometerKit
import XCTest

/// A health thermometer on the emulated air.
///
/// `@unchecked Sendable` is sound: everything happens on the queue, but for what is behind the lock.
final class ThermometerHost: NSObject, EmulatedCBPeripheralManagerDelegate, @unchecked Sendable {
  private(set) var manager: EmulatedCBPeripheralManager!
  let isOnAir = XCTestExpectation(description: "a thermometer on the air")
  private let subscriptions = Inbox<CBCentral>()
  private let queue = DispatchQueue(label: "host")
  private let lock = NSLock()
  private var seconds: UInt16 = 60
  private let measurement = EmulatorTestHelper.createCharacteristic(
    uuid: Thermometer.measurement, properties: .indicate, permissions: .readable, value: nil)

  override init() {
    super.init()
    manager = EmulatedCBPeripheralManager(delegate: self, queue: queue)
  }

  var interval: UInt16 { lock.withLock { seconds } }

  /// A central hears that it has subscribed maybe before this app does; who has not is sent nothing.
  func subscription() async throws { try await subscriptions.next("subscription") { $0 } }

  func measure(_ celsius: Double) {
    XCTAssertTrue(
      manager.updateValue(Temperature(celsius: celsius).data, for: measurement, onSubscribedCentrals: nil))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let interval = EmulatorTestHelper.createCharacteristic(
      uuid: Thermometer.interval, properties: [.read, .write], permissions: [.readable, .writeable], value: nil)
    peripheral.add(
      EmulatorTestHelper.createService(uuid: Thermometer.service, characteristics: [measurement, interval]))
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Ear", CBAdvertisementDataServiceUUIDsKey: [Thermometer.service],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    XCTAssertNil(error)
    isOnAir.fulfill()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { subscriptions.add(central) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard requests.count == 1, let value = requests[0].value, value.count == 2, value != Data([0, 0]) else {
      return peripheral.respond(to: requests[0], withResult: .invalidAttributeValueLength)
    }
    lock.withLock { seconds = UInt16(value[0]) | UInt16(value[1]) << 8 }
    peripheral.respond(to: requests[0], withResult: .success)
  }
}
