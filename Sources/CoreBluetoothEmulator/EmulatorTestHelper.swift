public import CoreBluetooth

/// Short cuts for tests.
public class EmulatorTestHelper {
  public struct TimedOut: Error, CustomStringConvertible {
    public let description: String
  }

  /// Two managers on the bus, without delegates yet, calling theirs on the main queue.
  public static func createCentralPeripheralPair() -> (EmulatedCBCentralManager, EmulatedCBPeripheralManager) {
    EmulatorBus.shared.use()
    return (
      EmulatedCBCentralManager(delegate: nil, queue: nil), EmulatedCBPeripheralManager(delegate: nil, queue: nil)
    )
  }

  public static func createService(
    uuid: CBUUID, characteristics: [EmulatedCBMutableCharacteristic]
  ) -> EmulatedCBMutableService {
    let service = EmulatedCBMutableService(type: uuid, primary: true)
    service.characteristics = characteristics
    return service
  }

  public static func createCharacteristic(
    uuid: CBUUID, properties: CBCharacteristicProperties, permissions: CBAttributePermissions, value: Data?
  ) -> EmulatedCBMutableCharacteristic {
    EmulatedCBMutableCharacteristic(type: uuid, properties: properties, value: value, permissions: permissions)
  }

  /// Waits until the peripheral is connected, whoever the manager's delegate is.
  public static func waitForConnection(
    central: EmulatedCBCentralManager, peripheral: EmulatedCBPeripheral, timeout: TimeInterval
  ) async throws {
    try await wait("\(peripheral) is not connected", timeout) { peripheral.state == .connected }
  }

  /// Waits until the peripheral's services are discovered, whoever its delegate is.
  public static func waitForServiceDiscovery(
    peripheral: EmulatedCBPeripheral, timeout: TimeInterval
  ) async throws -> [EmulatedCBService] {
    try await wait("\(peripheral) has no services", timeout) { peripheral.services != nil }
    return peripheral.services ?? []
  }

  /// Looks again and again: only the delegate is told, and that is the test's.
  private static func wait(_ what: String, _ timeout: TimeInterval, until isSo: () -> Bool) async throws {
    let deadline = Date() + timeout
    while !isSo() {
      if Date() >= deadline { throw TimedOut(description: "\(what) after \(timeout) s") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
