/// A D-Bus value of any type.
///
/// Dictionaries with string keys whose values are variants (`a{sv}`, the form of all properties) have a case of their
/// own, and so have byte arrays: those two are nearly everything that BlueZ says.
///
/// - Source: D-Bus Specification, "Type System".
public enum Value: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// Ends at its first NUL when written: D-Bus text cannot hold one.
  case string(String)
  case objectPath(ObjectPath)
  case signature(String)
  /// Index of a descriptor carried by the message (`Message.takeDescriptor`); writing takes a number and duplicates it.
  case unixDescriptor(CInt)
  indirect case variant(Value)
  /// `ay`.
  case bytes([UInt8])
  /// `a{sv}`, the variants taken off the values.
  case properties([String: Value])
  /// Any other array, dictionaries as arrays of `.entry`. `element` is the signature of one element.
  case array(element: String, [Value])
  case structure([Value])
  indirect case entry(key: Value, value: Value)
}

extension Value {
  public var string: String? {
    switch self {
    case .string(let text), .signature(let text): text
    case .objectPath(let path): path.text
    default: nil
    }
  }
  public var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }
  public var objectPath: ObjectPath? { if case .objectPath(let value) = self { value } else { nil } }
  public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  public var properties: [String: Value]? { if case .properties(let value) = self { value } else { nil } }
  public var elements: [Value]? { if case .array(_, let value) = self { value } else { nil } }
  /// Any integer that fits.
  public var int: Int? {
    switch self {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    default: nil
    }
  }
  public static func strings(_ texts: [String]) -> Value { .array(element: "s", texts.map { .string($0) }) }
  /// The members of an `as` or `ao`.
  public var strings: [String]? { elements?.compactMap(\.string) }

  /// The type's signature, as in the D-Bus Specification.
  public var typeSignature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .unixDescriptor: "h"
    case .variant: "v"
    case .bytes: "ay"
    case .properties: "a{sv}"
    case .array(let element, _): "a" + element
    case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
    case .entry(let key, let value): "{" + key.typeSignature + value.typeSignature + "}"
    }
  }
}
