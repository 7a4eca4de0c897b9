import BridgeIO
import EmulationTestSupport
import Faketooth
import Testing

/// The peripheral of Faketooth's description, with what was written to it.
final class FaketoothFixture: Sendable {
  private let writes = Lock<[Data]>([])
  private let descriptorWrites = Lock<[Data]>([])
  let descriptor: FaketoothDescriptor
  let characteristic: FaketoothCharacteristic
  let peripheral: FaketoothPeripheral

  var written: [Data] { writes.withLock { $0 } }
  var writtenDescriptors: [Data] { descriptorWrites.withLock { $0 } }

  init() {
    let (writes, descriptorWrites) = (writes, descriptorWrites)
    descriptor = FaketoothDescriptor(
      uuid: CBUUID(string: "FFF0"),
      valueHandler: { value in descriptorWrites.withLock { $0.append(value as? Data ?? Data()) } })
    characteristic = FaketoothCharacteristic(
      uuid: CBUUID(),
      properties: [.read, .notify, .write],
      descriptors: [
        FaketoothDescriptor(
          uuid: CBUUID(string: "2902"),
          valueProducer: { () -> Any? in
            return Data(capacity: 2)
          }
        ),
        FaketoothDescriptor(uuid: CBUUID(string: "2901"), valueProducer: { "Greeting" }),
        descriptor,
      ],
      valueProducer: { "Hello".data(using: .utf8) },
      valueHandler: { data in writes.withLock { $0.append(data ?? Data()) } }
    )
    peripheral = FaketoothPeripheral(
      identifier: UUID(),
      name: "Test",
      services: [
        FaketoothService(
          uuid: CBUUID(),
          isPrimary: true,
          characteristics: [characteristic]
        )
      ],
      advertisementData: [
        CBAdvertisementDataLocalNameKey: "Name for Advertisement"
      ]
    )
  }

  func begin(_ peripherals: [FaketoothPeripheral], delay: FaketoothDelaySettings = FaketoothDelaySettings()) {
    FaketoothSettings.delay = delay
    CBCentralManager.simulatedPeripherals = peripherals
  }

  func end() {
    CBCentralManager.simulatedPeripherals = nil
    FaketoothSettings.delay = FaketoothDelaySettings()
    FaketoothSettings.notificationInterval = 0.25
  }

  /// The peripheral as an app has found it.
  func example(
    delay: FaketoothDelaySettings = FaketoothDelaySettings()
  ) async throws -> (CentralApp, CBPeripheral) {
    begin([peripheral], delay: delay)
    let app = CentralApp()
    try await app.state(.poweredOn)
    return (app, try await app.find())
  }

  func explored() async throws -> (CentralApp, CBCharacteristic) {
    let (app, peripheral) = try await example()
    try await app.connect(peripheral)
    let service = try #require(try await app.services(of: peripheral).first)
    return (app, try #require(try await app.characteristics(of: service).first))
  }
}
