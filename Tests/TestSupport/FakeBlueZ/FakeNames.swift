public import DBus

/// Interfaces of BlueZ and D-Bus that the fake serves.
///
/// - Source: BlueZ `doc/org.bluez.*.rst`.
enum FakeNames {
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let service = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let descriptor = "org.bluez.GattDescriptor1"
  static let gattManager = "org.bluez.GattManager1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let agentManager = "org.bluez.AgentManager1"
  static let agent = "org.bluez.Agent1"
  static let advertisement = "org.bluez.LEAdvertisement1"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
}

/// Errors as bluetoothd words them.
///
/// - Source: BlueZ `src/error.c` and `src/gatt-client.c`.
extension DBusError {
  public static func bluez(_ name: String, _ message: String) -> DBusError {
    DBusError(name: "org.bluez.Error." + name, message: message)
  }
  public static let bluezInProgress = bluez("InProgress", "Operation already in progress")
  public static let bluezNotReady = bluez("NotReady", "Resource Not Ready")
  public static let bluezDoesNotExist = bluez("DoesNotExist", "Does Not Exist")
  public static let bluezAlreadyExists = bluez("AlreadyExists", "Already Exists")
  public static let bluezInvalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
  public static let bluezNotSupported = bluez("NotSupported", "Operation is not supported")
  public static let bluezNotConnected = bluez("Failed", "Not connected")
  public static let bluezConnectFailed = bluez("Failed", "le-connection-abort-by-local")
  public static let bluezConnectCancelled = bluez("Failed", "br-connection-canceled")
  public static let bluezAuthenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")

  /// What bluetoothd makes of an ATT error of a remote server.
  public static func bluez(att code: UInt8) -> DBusError {
    switch code {
    case 0x02: bluez("NotPermitted", "Read not permitted")
    case 0x03: bluez("NotPermitted", "Write not permitted")
    case 0x05, 0x0C, 0x0F: bluez("NotPermitted", "Not paired")
    case 0x06: bluezNotSupported
    case 0x07: bluez("InvalidArguments", "Invalid offset")
    case 0x08: bluez("NotAuthorized", "Operation Not Authorized")
    case 0x0D: bluez("InvalidArguments", "Invalid Length")
    default: bluez("Failed", "Operation failed with ATT error: 0x" + hexadecimal(code))
    }
  }

  private static func hexadecimal(_ code: UInt8) -> String {
    let digits = String(code, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}
