@preconcurrency import CoreBluetoothEmulator
import ThermometerKit
import XCTest

/// The app's class and a thermometer, both in this process, on an emulated air. No service runs, and no radio is needed.
final class EmulatedThermometerTests: XCTestCase {
  private let bus = EmulatorBus.shared

  override func setUp() {
    bus.reset()
    bus.configure(.instant)
  }

  override func tearDown() { bus.stop() }

  private func host() async -> ThermometerHost {
    let host = ThermometerHost()
    await fulfillment(of: [host.isOnAir], timeout: 30)
    return host
  }

  func testMeasurementsArrive() async throws {
    let host = await host()
    let thermometer = Watched()
    let peripheral = try await thermometer.connection()
    XCTAssertEqual(peripheral.name, "Ear")
    XCTAssertEqual(peripheral.id, peripheral.identifier)
    try await host.subscription()
    for celsius in [36.6, 39.1] {
      host.measure(celsius)
      let measured = try await thermometer.measurement()
      XCTAssertEqual(measured.celsius, celsius, accuracy: 0.001)
    }
  }

  func testTwoThermometersOfTheAppGetOneDevicesMeasurements() async throws {
    let host = await host()
    let (first, second) = (Watched(), Watched())
    _ = try await first.connection()
    _ = try await second.connection()
    for _ in 0..<2 { try await host.subscription() }
    host.measure(37.5)
    let measured = (try await first.measurement(), try await second.measurement())
    XCTAssertEqual(measured.0, measured.1)
  }

  func testTheIntervalIsWritten() async throws {
    let host = await host()
    let thermometer = Watched()
    _ = try await thermometer.connection()
    thermometer.app.setInterval(300)
    try await thermometer.next("change of the interval") { if case .intervalChanged = $0 { () } else { nil } }
    XCTAssertEqual(host.interval, 300)
  }

  func testARefusedIntervalIsReported() async throws {
    let host = await host()
    let thermometer = Watched()
    let peripheral = try await thermometer.connection()
    thermometer.app.setInterval(0)
    let refusal = try await thermometer.failure()
    XCTAssertEqual((refusal as? CBATTError)?.code, .invalidAttributeValueLength)
    bus.setError(.insufficientAuthentication, for: Thermometer.interval, in: peripheral.identifier)
    thermometer.app.setInterval(30)
    let injected = try await thermometer.failure()
    XCTAssertEqual((injected as? CBATTError)?.code, .insufficientAuthentication)
    XCTAssertEqual(host.interval, 60)
  }

  func testAFailedConnectionIsTriedAgain() async throws {
    var configuration = EmulatorConfiguration.instant
    configuration.simulateConnectionFailure = true
    configuration.connectionFailureRate = 1
    bus.configure(configuration)
    let host = await host()
    let thermometer = Watched()
    let error = try await thermometer.failure()
    XCTAssertEqual((error as? CBError)?.code, .connectionFailed)
    configuration.connectionFailureRate = 0
    bus.configure(configuration)
    thermometer.app.connect()
    _ = try await thermometer.connection()
    try await host.subscription()
    host.measure(38)
    _ = try await thermometer.measurement()
  }

  func testAThermometerThatIsSwitchedOffIsLost() async throws {
    let host = await host()
    let thermometer = Watched()
    _ = try await thermometer.connection()
    bus.unregister(peripheral: host.manager)
    let error = try await thermometer.disconnection()
    XCTAssertNotNil(error)
  }
}
