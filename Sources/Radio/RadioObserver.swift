public import BridgeIO
public import BridgeProtocol

/// Hears what a radio reports unasked.
@BridgeQueue
public protocol RadioObserver: AnyObject {
  func radioDidUpdateState(_ radio: any Radio)

  /// An advertisement was received while a scan is on. Repeats come too, with the same `revision`.
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement)

  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier)
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError)

  /// The end of a link that `didConnect` announced, or of a pending connect; nil if it was asked for.
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?)

  /// Any link of the host's came or went, whoever made it (Apple's connection events).
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier)

  /// `connectedPeripherals(with:)` may have another answer for a connected peripheral than when it was connected.
  func radio(_ radio: any Radio, didLearnServicesOf peripheral: PeripheralIdentifier)

  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier)

  /// The attribute table changed on a live link; `removed` are handles of services no longer valid, maybe none.
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier)

  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier)

  /// Whether any of those who get a peripheral's notifications keeps up with them. A radio that makes the values itself asks now
  /// and then, and makes no more while none does.
  func radio(_ radio: any Radio, canTakeNotificationsOf peripheral: PeripheralIdentifier) -> Bool

  /// Room again for writes without response, after `canSendWriteWithoutResponse` was false.
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier)

  /// `maximumWriteLength` became known, or changed.
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier)
}

extension RadioObserver {
  public func radio(_ radio: any Radio, didLearnServicesOf peripheral: PeripheralIdentifier) {}
  public func radio(_ radio: any Radio, canTakeNotificationsOf peripheral: PeripheralIdentifier) -> Bool { true }
}
