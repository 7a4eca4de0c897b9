@preconcurrency import Faketooth
import Testing
import ThermometerKit

/// The app's class against a simulated peripheral.
@Suite(.serialized) struct SimulatedThermometerTests {
  private let measurement = FaketoothCharacteristic(
    uuid: Thermometer.measurement, properties: .indicate, valueProducer: { Temperature(celsius: 36.6).data })
  private let interval = FaketoothCharacteristic(
    uuid: Thermometer.interval, properties: [.read, .write], valueProducer: { Data([60, 0]) })
  private let device: FaketoothPeripheral

  init() {
    device = FaketoothPeripheral(
      identifier: UUID(), name: "Forehead",
      services: [
        FaketoothService(
          uuid: Thermometer.service, isPrimary: true, characteristics: [measurement, interval])
      ])
    FaketoothSettings.delay = FaketoothDelaySettings()
    CBCentralManager.simulatedPeripherals = [device]
  }

  @Test func measurementsArrive() async throws {
    let thermometer = Watched()
    #expect(try await thermometer.connection().name == "Forehead")
    #expect(abs(try await thermometer.measurement().celsius - 36.6) < 0.001)
    CBCentralManager.simulatedPeripherals = nil
  }

  @Test func aFailedConnectionIsTriedAgain() async throws {
    device.connectionError = CBError(.connectionFailed)
    let thermometer = Watched()
    #expect((try await thermometer.failure() as? CBError)?.code == .connectionFailed)
    device.connectionError = nil
    thermometer.app.connect()
    #expect(try await thermometer.connection().identifier == device.identifier)
    CBCentralManager.simulatedPeripherals = nil
  }

  @Test func aRefusedIntervalIsReported() async throws {
    let thermometer = Watched()
    _ = try await thermometer.connection()
    interval.writeError = CBATTError(.insufficientAuthorization)
    thermometer.app.setInterval(5)
    #expect((try await thermometer.failure() as? CBATTError)?.code == .insufficientAuthorization)
    interval.writeError = nil
    thermometer.app.setInterval(5)
    try await thermometer.next("change of the interval") { if case .intervalChanged = $0 { () } else { nil } }
    CBCentralManager.simulatedPeripherals = nil
  }

  @Test func anEndIsReportedWithItsError() async throws {
    let thermometer = Watched()
    _ = try await thermometer.connection()
    device.disconnectionError = CBError(.connectionTimeout)
    thermometer.app.disconnect()
    #expect((try await thermometer.disconnection() as? CBError)?.code == .connectionTimeout)
    CBCentralManager.simulatedPeripherals = nil
  }
}
