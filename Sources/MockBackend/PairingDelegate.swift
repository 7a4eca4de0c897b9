public import BridgeIO
public import BridgeProtocol

/// Whoever types a device's passkey on the central's side.
@BridgeQueue
public protocol PairingDelegate: AnyObject {
  /// The device shows six digits. `completion` takes what is typed, nil to refuse; called once or, past the radio's
  /// time limit, in vain.
  func radio(
    _ radio: VirtualRadio, wantsPasskeyOf peripheral: PeripheralIdentifier,
    completion: @escaping @BridgeQueue (String?) -> Void)
}
