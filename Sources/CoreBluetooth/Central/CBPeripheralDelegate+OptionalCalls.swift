public import Foundation

/// The same for `delegate.peripheral?(peripheral, didDiscoverServices: error)`; see `CBCentralManagerDelegateCalls`.
public struct CBPeripheralDelegateCalls {
  let delegate: any CBPeripheralDelegate

  public func callAsFunction(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    delegate.peripheral(peripheral, didModifyServices: invalidatedServices)
  }

  public func callAsFunction(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
    delegate.peripheral(peripheral, didReadRSSI: rssi, error: error)
  }

  public func callAsFunction(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    delegate.peripheral(peripheral, didDiscoverServices: error)
  }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { delegate.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { delegate.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { delegate.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { delegate.peripheral(peripheral, didUpdateValueFor: characteristic, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { delegate.peripheral(peripheral, didUpdateValueFor: descriptor, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { delegate.peripheral(peripheral, didWriteValueFor: characteristic, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { delegate.peripheral(peripheral, didWriteValueFor: descriptor, error: error) }

  public func callAsFunction(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { delegate.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error) }

  public func callAsFunction(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    delegate.peripheral(peripheral, didOpen: channel, error: error)
  }
}

extension CBPeripheralDelegate {
  public var peripheral: CBPeripheralDelegateCalls? { CBPeripheralDelegateCalls(delegate: self) }
}
