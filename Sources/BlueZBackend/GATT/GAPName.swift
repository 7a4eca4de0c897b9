import BridgeIO
import BridgeProtocol
import DBus

/// What a device calls itself in its GAP service.
///
/// - Source: Core Specification Vol 3, Part C, 12.1.
struct GAPName {
  let text: String

  /// Nil for a value that holds no name. Like bluetoothd, ends at a NUL and takes no spaces at the ends.
  init?(value: [UInt8]?) {
    guard let value else { return nil }
    let bytes = value.prefix { $0 != 0 }.drop(while: Self.isSpace)
    let end = bytes.lastIndex { !Self.isSpace($0) }
    guard let end else { return nil }
    text = String(decoding: bytes[...end], as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Path of the characteristic where bluetoothd shows it.
  @BridgeQueue
  static func characteristic(below devicePath: String, in cache: ObjectCache) -> String? {
    cache.paths(below: devicePath, with: GATTNames.characteristic).first { path in
      uuid(of: path, GATTNames.characteristic, cache) == deviceName
        && uuid(of: AttributeTable.parent(of: path), GATTNames.service, cache) == .genericAccess
    }
  }

  @BridgeQueue
  private static func uuid(of path: String, _ interface: String, _ cache: ObjectCache) -> BluetoothUUID? {
    cache.properties(of: path, interface)?["UUID"]?.string.flatMap { BluetoothUUID($0) }
  }

  private static let deviceName = BluetoothUUID(short: 0x2A00)
}
