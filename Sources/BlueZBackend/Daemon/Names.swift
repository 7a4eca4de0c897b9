/// The strings of BlueZ's D-Bus API, grouped under the page of BlueZ's documentation that they come from.
enum BlueZ {
  static let service = "org.bluez"

  /// - Source: BlueZ `doc/org.bluez.Adapter.rst`.
  enum Adapter {
    static let interface = "org.bluez.Adapter1"
    static let setDiscoveryFilter = "SetDiscoveryFilter"
    static let startDiscovery = "StartDiscovery"
    static let stopDiscovery = "StopDiscovery"
    static let address = "Address"
    static let addressType = "AddressType"
    static let alias = "Alias"
    static let powered = "Powered"
    /// `on`, `off`, `off-enabling`, `on-disabling`, `off-blocked`; since 5.72, not everywhere.
    static let powerState = "PowerState"
    static let roles = "Roles"
    static let blockedPowerState = "off-blocked"
    static let centralRole = "central"
  }

  /// The keys of `SetDiscoveryFilter`.
  enum DiscoveryFilter {
    static let transport = "Transport"
    static let duplicateData = "DuplicateData"
    static let rssi = "RSSI"
    static let lowEnergy = "le"
  }

  /// - Source: BlueZ `doc/org.bluez.Device.rst`.
  enum Device {
    static let interface = "org.bluez.Device1"
    static let connect = "Connect"
    static let disconnect = "Disconnect"
    /// A signal since 5.83: name of a reason, text.
    static let disconnected = "Disconnected"
    static let adapter = "Adapter"
    static let address = "Address"
    static let addressType = "AddressType"
    static let name = "Name"
    static let paired = "Paired"
    static let connected = "Connected"
    static let servicesResolved = "ServicesResolved"
    static let rssi = "RSSI"
    static let txPower = "TxPower"
    static let uuids = "UUIDs"
    static let manufacturerData = "ManufacturerData"
    static let serviceData = "ServiceData"
    /// Stable since 5.78.
    static let advertisingData = "AdvertisingData"
    /// Experimental, since 5.82.
    static let preferredBearer = "PreferredBearer"
    static let lowEnergyBearer = "le"
  }

  /// - Source: BlueZ `doc/org.bluez.Bearer.LE.rst`; since 5.84, its methods experimental.
  enum BearerLE {
    static let interface = "org.bluez.Bearer.LE1"
    static let connect = "Connect"
  }

  /// - Source: BlueZ `doc/org.bluez.GattService.rst`, `…GattCharacteristic.rst`, `…GattDescriptor.rst`.
  enum GATT {
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let value = "Value"
  }

  /// Managers that an adapter or `/org/bluez` offers.
  enum Manager {
    static let agent = "org.bluez.AgentManager1"
    static let gatt = "org.bluez.GattManager1"
    static let advertising = "org.bluez.LEAdvertisingManager1"
  }

  /// - Source: BlueZ `src/error.c`.
  enum ErrorName {
    static let prefix = "org.bluez.Error."
    static let inProgress = "org.bluez.Error.InProgress"
    static let blocked = "org.bluez.Error.Blocked"
    static let profileUnavailable = "ProfileUnavailable"
  }
}

/// The bus's own strings.
///
/// - Source: D-Bus Specification, "Standard Interfaces" and "Message Bus Messages".
enum Bus {
  static let service = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
  static let getNameOwner = "GetNameOwner"
  static let startServiceByName = "StartServiceByName"
  static let nameOwnerChanged = "NameOwnerChanged"

  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let getManagedObjects = "GetManagedObjects"

  static let properties = "org.freedesktop.DBus.Properties"
  static let get = "Get"
  static let set = "Set"

  enum ErrorName {
    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  }
}
