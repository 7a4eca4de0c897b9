public import CCoreBluetooth
public import Foundation

/// Hears what a central manager reports.
///
/// All but the first method may be left out. On Linux that is a default body and not an Objective-C option: a subclass
/// that adds one which its conforming superclass lacks is not called.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber)

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// - Parameter timestamp: seconds since 2001-01-01 00:00 UTC.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    Misuse.log(
      "\(central) has a restore identifier but the delegate doesn't implement the centralManager:willRestoreState: method"
    )
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {}

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}

  // Of the two that tell the end of a connection, the manager calls one and, if it finds itself here, the other.

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { central.methodIsMissing() }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { central.methodIsMissing() }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
