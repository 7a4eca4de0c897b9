/// Names of BlueZ's GATT interfaces as a client uses them.
///
/// - Source: BlueZ `doc/org.bluez.GattService.rst`, `GattCharacteristic.rst`, `GattDescriptor.rst`.
enum GATTNames {
  static let bluez = "org.bluez"
  static let device = "org.bluez.Device1"
  static let service = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let descriptor = "org.bluez.GattDescriptor1"
  static let properties = "org.freedesktop.DBus.Properties"

  static let readValue = "ReadValue"
  static let writeValue = "WriteValue"
  static let startNotify = "StartNotify"
  static let stopNotify = "StopNotify"
}
