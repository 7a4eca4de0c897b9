import DBus

/// A view of an adapter's properties, one row each.
///
/// - Source: BlueZ `doc/org.bluez.Adapter.rst`.
struct Adapter1 {
  let path: String
  let properties: [String: Value]

  var address: String? { properties[BlueZ.Adapter.address]?.string?.uppercased() }
  var addressType: String? { properties[BlueZ.Adapter.addressType]?.string }
  var isPowered: Bool { properties[BlueZ.Adapter.powered]?.bool ?? false }
  var powerState: String? { properties[BlueZ.Adapter.powerState]?.string }
  var roles: [String]? { properties[BlueZ.Adapter.roles]?.strings }

  /// `hci0`.
  var name: String { String(path.split(separator: "/").last ?? "") }
  /// The number in `hci0`.
  var index: Int? { name.hasPrefix("hci") ? Int(name.dropFirst(3)) : nil }
  /// Whether it can be a central over LE; assumed where `Roles` is missing.
  var isLowEnergy: Bool { roles?.contains(BlueZ.Adapter.centralRole) ?? true }
  var isBlocked: Bool { powerState == BlueZ.Adapter.blockedPowerState }
  /// The address that our side of a link has, with its kind.
  var bluetoothAddress: BluetoothAddress? { BluetoothAddress(address: address, addressType: addressType ?? "public") }
}
