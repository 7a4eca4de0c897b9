import EmulationTestSupport
import Faketooth
import TestSupport
import Testing

/// Errors as Faketooth's description sets them.
@Suite(.choosesService)
struct FaketoothErrorTests {
  let fixture = FaketoothFixture()

  @Test func aConnectionErrorFailsConnecting() async throws {
    let (app, peripheral) = try await fixture.example()
    fixture.peripheral.connectionError = NSError(
      domain: CBErrorDomain, code: CBError.connectionFailed.rawValue, userInfo: nil)
    app.manager.connect(peripheral)
    #expect((try await app.connectionFailure() as? CBError)?.code == .connectionFailed)
    #expect(peripheral.state == .disconnected)
    fixture.peripheral.connectionError = nil
    try await app.connect(peripheral)
    #expect(peripheral.state == .connected)
    fixture.end()
  }

  @Test func aDisconnectionErrorIsToldWithTheEnd() async throws {
    let (app, peripheral) = try await fixture.example()
    try await app.connect(peripheral)
    fixture.peripheral.disconnectionError = CBError(.connectionTimeout)
    app.manager.cancelPeripheralConnection(peripheral)
    #expect((try await app.disconnection() as? CBError)?.code == .connectionTimeout)
    #expect(peripheral.state == .disconnected)
    fixture.peripheral.disconnectionError = nil
    try await app.connect(peripheral)
    app.manager.cancelPeripheralConnection(peripheral)
    #expect(try await app.disconnection() == nil)
    fixture.end()
  }

  @Test func readErrorsFailReadsAndLeaveTheValue() async throws {
    let (app, characteristic) = try await fixture.explored()
    #expect(try await app.read(characteristic) == Data("Hello".utf8))
    fixture.characteristic.readError = NSError(
      domain: CBATTErrorDomain, code: CBATTError.readNotPermitted.rawValue, userInfo: nil)
    #expect((await failure(of: { try await app.read(characteristic) }) as? CBATTError)?.code == .readNotPermitted)
    #expect(characteristic.value == Data("Hello".utf8))
    fixture.characteristic.readError = nil
    #expect(try await app.read(characteristic) == Data("Hello".utf8))
    fixture.end()
  }

  @Test func writeErrorsFailWritesAndReachNoHandler() async throws {
    let (app, characteristic) = try await fixture.explored()
    fixture.characteristic.writeError = CBATTError(.insufficientResources)
    #expect(
      (await failure(of: { try await app.write(Data([1]), to: characteristic) }) as? CBATTError)?.code
        == .insufficientResources)
    #expect(fixture.written == [])
    fixture.end()
  }

  @Test func discoveryErrorsFailDiscoveries() async throws {
    let (app, peripheral) = try await fixture.example()
    try await app.connect(peripheral)
    fixture.peripheral.discoverServicesError = CBError(.operationNotSupported)
    #expect((await failure(of: { try await app.services(of: peripheral) }) as? CBError)?.code == .operationNotSupported)
    #expect(peripheral.services == nil)
    fixture.peripheral.discoverServicesError = nil
    let service = try #require(try await app.services(of: peripheral).first)
    fixture.peripheral.discoverCharacteristicsError = CBATTError(.unlikelyError)
    #expect((await failure(of: { try await app.characteristics(of: service) }) as? CBATTError)?.code == .unlikelyError)
    #expect(service.characteristics == nil)
    fixture.peripheral.discoverCharacteristicsError = nil
    let characteristic = try #require(try await app.characteristics(of: service).first)
    fixture.peripheral.discoverDescriptorsError = CBATTError(.attributeNotFound)
    #expect(
      (await failure(of: { try await app.descriptors(of: characteristic) }) as? CBATTError)?.code == .attributeNotFound)
    fixture.peripheral.discoverDescriptorsError = nil
    #expect(try await app.descriptors(of: characteristic).count == 3)
    fixture.end()
  }

  @Test func descriptorErrorsFailReadsAndWrites() async throws {
    let (app, characteristic) = try await fixture.explored()
    let descriptor = try await app.descriptors(of: characteristic)[2]
    fixture.descriptor.readError = CBATTError(.insufficientAuthorization)
    fixture.descriptor.writeError = CBATTError(.invalidAttributeValueLength)
    #expect((await failure(of: { try await app.read(descriptor) }) as? CBATTError)?.code == .insufficientAuthorization)
    #expect(
      (await failure(of: { try await app.write(Data([1]), to: descriptor) }) as? CBATTError)?.code
        == .invalidAttributeValueLength)
    #expect(fixture.writtenDescriptors == [])
    fixture.end()
  }

  @Test func delaysHoldOperationsBack() async throws {
    var delay = FaketoothDelaySettings()
    delay.scanForPeripheralDelayInSeconds = 0.05
    delay.connectPeripheralDelayInSeconds = 0.05
    delay.discoverServicesDelayInSeconds = 0.05
    delay.readValueForCharacteristicDelayInSeconds = 0.05
    delay.cancelPeripheralConnectionDelayInSeconds = 0.05
    FaketoothSettings.delay = delay
    let app: CentralApp
    let peripheral: CBPeripheral
    var clock = Stopwatch()
    (app, peripheral) = try await fixture.example(delay: delay)
    #expect(clock.lap() >= 0.05)
    try await app.connect(peripheral)
    #expect(clock.lap() >= 0.05)
    let service = try #require(try await app.services(of: peripheral).first)
    #expect(clock.lap() >= 0.05)
    let characteristic = try #require(try await app.characteristics(of: service).first)
    _ = clock.lap()
    _ = try await app.read(characteristic)
    #expect(clock.lap() >= 0.05)
    app.manager.cancelPeripheralConnection(peripheral)
    #expect(peripheral.state == .disconnecting)
    // Behind the cancel, in order.
    app.manager.connect(peripheral)
    #expect(try await app.disconnection() == nil)
    #expect(clock.lap() >= 0.05)
    try await app.connection()
    fixture.end()
  }

}

struct Stopwatch {
  private var start = ContinuousClock.now

  /// Seconds since the last lap.
  mutating func lap() -> Double {
    defer { start = .now }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
