import Foundation

/// The form in which Apple's objects print: `<CBService: 0x600000…, isPrimary = YES, UUID = Battery>`.
package struct Description {
  package let text: String

  package init(_ object: AnyObject, _ fields: [String]) {
    let address = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
    text = "<\(type(of: object)): 0x\(address), \(fields.joined(separator: ", "))>"
  }

  package static func of(_ value: Bool) -> String { value ? "YES" : "NO" }

  /// As `NSData` prints, cut after eight bytes as there.
  package static func of(_ value: Data?) -> String {
    guard let value else { return "(null)" }
    func hex(_ bytes: Data) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
    if value.count <= 24 { return "{length = \(value.count), bytes = 0x\(hex(value))}" }
    let (head, tail) = (hex(value.prefix(8)), hex(value.suffix(4)))
    return "{length = \(value.count), bytes = 0x\(head.prefix(8)) \(head.suffix(8)) ... \(tail)}"
  }
}
