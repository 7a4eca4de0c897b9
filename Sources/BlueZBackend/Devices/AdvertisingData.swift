import BridgeIO
import BridgeProtocol
import DBus

/// `Device1.AdvertisingData`, `a{yv}`: the advertised fields that BlueZ does not give a property of their own.
///
/// The types read here are among those that bluetoothd has left out of it so far (`type_reject_list` in
/// `src/shared/ad.c`, 5.56 to 5.87), so that solicited services are unknown with any of these.
///
/// - Source: Core Specification Supplement, Part A, 1.10; Assigned Numbers, "Common Data Types".
enum AdvertisingData {
  private static let solicited16: Int = 0x14
  private static let solicited128: Int = 0x15
  private static let solicited32: Int = 0x1F

  /// The solicited services among the fields of the dictionary that the reader stands at.
  @BridgeQueue
  static func solicitedUUIDs(_ value: inout MessageReader) -> [BluetoothUUID] {
    var found: [BluetoothUUID] = []
    _ = value.enter { entries in
      while !entries.isAtEnd {
        _ = entries.enter { entry in
          guard let type = entry.integer(), let width = width(ofType: type) else { return }
          found += entry.enter { $0.withBytes { uuids(in: [UInt8]($0), width: width) } ?? [] } ?? []
        }
      }
    }
    return found
  }

  private static func width(ofType type: Int) -> Int? {
    switch type {
    case solicited16: 2
    case solicited32: 4
    case solicited128: 16
    default: nil
    }
  }

  /// A list of little-endian UUIDs; a rest that fills none is left out.
  static func uuids(in bytes: [UInt8], width: Int) -> [BluetoothUUID] {
    stride(from: 0, to: bytes.count - bytes.count % width, by: width).map { start in
      let field = bytes[start..<start + width]
      return width == 16
        ? BluetoothUUID(high: number(field.suffix(8)), low: number(field.prefix(8)))
        : BluetoothUUID(short: UInt32(number(field)))
    }
  }

  private static func number(_ littleEndian: ArraySlice<UInt8>) -> UInt64 {
    littleEndian.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
