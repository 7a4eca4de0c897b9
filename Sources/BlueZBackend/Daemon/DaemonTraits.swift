import BridgeIO
import BridgeProtocol

/// What is learned of the running bluetoothd from what it shows, since it does not tell its version.
@BridgeQueue
final class DaemonTraits {
  /// Whether UUIDs that only service data came under are listed in `UUIDs` too: since 5.69.
  private(set) var listsServiceData = true

  /// UUIDs whose specifications want them in the list of services and as service data: there, being in both says
  /// nothing against the list. Eddystone, Exposure Notification.
  static let alwaysListed: Set<BluetoothUUID> = [BluetoothUUID(short: 0xFEAA), BluetoothUUID(short: 0xFD6F)]

  /// `device` shows what it advertises, not its GATT services.
  func learn(from device: Device1) {
    guard listsServiceData else { return }
    if device.serviceData.keys.contains(where: { !device.uuids.contains($0) }) { listsServiceData = false }
  }

  func forget() { listsServiceData = true }
}
