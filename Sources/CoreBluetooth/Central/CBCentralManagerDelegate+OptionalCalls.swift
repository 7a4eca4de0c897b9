public import CCoreBluetooth
public import Foundation

/// Lets `delegate.centralManager?(central, didConnect: peripheral)`, with which source for Apple's platforms passes events on
/// to a delegate that may lack the method, compile here too. Every method is there on Linux, maybe with an empty body.
public struct CBCentralManagerDelegateCalls {
  let delegate: any CBCentralManagerDelegate

  public func callAsFunction(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    delegate.centralManager(central, willRestoreState: dict)
  }

  public func callAsFunction(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    delegate.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: rssi)
  }

  public func callAsFunction(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    delegate.centralManager(central, didConnect: peripheral)
  }

  public func callAsFunction(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { delegate.centralManager(central, didFailToConnect: peripheral, error: error) }

  public func callAsFunction(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { delegate.centralManager(central, didDisconnectPeripheral: peripheral, error: error) }

  public func callAsFunction(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    delegate.centralManager(
      central, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting, error: error)
  }

  public func callAsFunction(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { delegate.centralManager(central, connectionEventDidOccur: event, for: peripheral) }

  public func callAsFunction(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    delegate.centralManager(central, didUpdateANCSAuthorizationFor: peripheral)
  }
}

extension CBCentralManagerDelegate {
  public var centralManager: CBCentralManagerDelegateCalls? { CBCentralManagerDelegateCalls(delegate: self) }
}
