package import BridgeProtocol
public import Foundation

/// A Bluetooth UUID of 16, 32 or 128 bits. Equal values are equal whatever width they were made in; `data` and
/// `uuidString` keep that width.
open class CBUUID: NSObject, NSCopying {
  /// The 128-bit value, by which UUIDs are compared.
  package let value: BluetoothUUID
  /// 2, 4 or 16.
  private let length: Int

  private init(value: BluetoothUUID, length: Int) {
    self.value = value
    self.length = length
  }

  /// Of a value from a peer, in its shortest form of 2, 4 or 16 bytes.
  package convenience init(_ value: BluetoothUUID) {
    self.init(value: value, length: value.short.map { $0 > 0xFFFF ? 4 : 2 } ?? 16)
  }

  /// Of a value from a peer, in the form in which a message spelled it.
  convenience init(_ value: BluetoothUUID, _ spelling: UUIDSpelling) {
    if spelling == UUIDSpelling() { self.init(value) } else { self.init(string: spelling.text(of: value)) }
  }

  public convenience override init() { self.init(value: BluetoothUUID(high: 0, low: 0), length: 16) }

  /// Of 4, 8 or 36 characters in either case; ends the process for anything else, where Apple's raises an exception.
  public init(string theString: String) {
    guard let value = BluetoothUUID(theString) else {
      Misuse.raise("NSInternalInconsistencyException", "String \(theString) does not represent a valid UUID")
    }
    self.value = value
    length =
      switch theString.utf8.count {
      case 4: 2
      case 8: 4
      default: 16
      }
  }

  /// Of 2, 4 or 16 bytes, most significant first; ends the process for anything else, where Apple's raises an
  /// exception.
  public init(data theData: Data) {
    func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    switch theData.count {
    case 2, 4: value = BluetoothUUID(short: UInt32(number(theData)))
    case 16: value = BluetoothUUID(high: number(theData.prefix(8)), low: number(theData.suffix(8)))
    default:
      let digits = theData.map { String(format: "%02x", $0) }.joined()
      Misuse.raise("NSInternalInconsistencyException", "Data <\(digits)> does not represent a valid UUID")
    }
    length = theData.count
  }

  /// Of 16 bytes.
  public convenience init(nsuuid theUUID: UUID) { self.init(data: withUnsafeBytes(of: theUUID.uuid) { Data($0) }) }

  /// 2, 4 or 16 bytes, most significant first: as many as the UUID was made of.
  open var data: Data {
    switch length {
    case 2, 4: Self.bytes(UInt64(value.short ?? 0)).suffix(length).asData
    default: Data(Self.bytes(value.high) + Self.bytes(value.low))
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  /// Upper case; 4, 8 or 36 characters by the length of `data`.
  open var uuidString: String {
    switch length {
    case 2, 4: String(value.fullText.prefix(8).suffix(length * 2))
    default: value.fullText
    }
  }

  /// The name that the Bluetooth SIG gave it, if known here, else `uuidString`.
  open override var description: String { value.short.flatMap { AssignedNames.byNumber[$0] } ?? uuidString }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }

  open override var hash: Int { value.hashValue }

  open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension Sequence<UInt8> {
  fileprivate var asData: Data { Data(self) }
}
