import CoreBluetooth
import EmulationTestSupport

/// The app that makes the checks, with what it has found so far.
final class SuiteApp {
  let app: CentralApp
  private var found: CBPeripheral?

  init(_ makeManager: @escaping CentralSuite.MakeManager) {
    app = CentralApp { makeManager($0, $1, $2) }
  }

  var manager: CBCentralManager { app.manager }

  /// Waits until the radio is on.
  func turnedOn() async throws { if manager.state != .poweredOn { try await app.state(.poweredOn) } }

  /// The peripheral, found by a scan.
  func peripheral() async throws -> CBPeripheral {
    if let found { return found }
    try await turnedOn()
    manager.scanForPeripherals(withServices: [SuiteLayout.main])
    let peripheral = try await app.discovery().peripheral
    manager.stopScan()
    app.keep(peripheral)
    peripheral.delegate = app
    found = peripheral
    return peripheral
  }

  /// The peripheral, connected.
  func connected() async throws -> CBPeripheral {
    let peripheral = try await peripheral()
    if peripheral.state != .connected { try await app.connect(peripheral) }
    return peripheral
  }

  func service(_ uuid: CBUUID = SuiteLayout.main) async throws -> CBService {
    let peripheral = try await connected()
    if let known = peripheral.services?.first(where: { $0.uuid == uuid }) { return known }
    return try need(try await app.services(of: peripheral).first { $0.uuid == uuid }, "service \(uuid.uuidString)")
  }

  func characteristic(_ uuid: CBUUID, of serviceUUID: CBUUID = SuiteLayout.main) async throws -> CBCharacteristic {
    let service = try await service(serviceUUID)
    if let known = service.characteristics?.first(where: { $0.uuid == uuid }) { return known }
    let found = try await app.characteristics(of: service)
    return try need(found.first { $0.uuid == uuid }, "characteristic \(uuid.uuidString)")
  }

  /// The peripheral without a connection.
  func disconnected() async throws -> CBPeripheral {
    let peripheral = try await peripheral()
    if peripheral.state != .disconnected {
      manager.cancelPeripheralConnection(peripheral)
      _ = try await app.disconnection()
    }
    return peripheral
  }

  func close() async {
    if let found, found.state != .disconnected {
      manager.cancelPeripheralConnection(found)
      _ = try? await app.disconnection()
    }
  }

  /// Runs a call that blocks on a thread that may.
  func blocking(_ call: @escaping @Sendable (CBCentralManager) -> [CBPeripheral]) async -> [UUID] {
    let app = app
    return await withCheckedContinuation { (continuation: CheckedContinuation<[UUID], Never>) in
      DispatchQueue(label: "blocking").async { continuation.resume(returning: call(app.manager).map(\.identifier)) }
    }
  }

  /// The ATT error that `body` fails with.
  func attError(of body: () async throws -> Void) async -> Int? {
    (await failure(of: body) as? CBATTError)?.code.rawValue
  }
}
