public import BridgeIO
internal import CDBus
import Glibc

/// A cursor over a message's arguments, or over those of a container in it. Each read takes one argument and moves on;
/// a wrong type reads as nil and moves on too. Valid only inside `Message.read`.
@BridgeQueue
public struct MessageReader: ~Copyable {
  private var iterator = DBusMessageIter()
  /// Of the next argument.
  private var type: UInt8
  /// Alive: `Message.read` is its method.
  private unowned(unsafe) let message: Message

  init(_ message: Message) {
    self.message = message
    dbus_message_iter_init(message.raw, &iterator)
    type = UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator))
  }

  private init(entering parent: inout DBusMessageIter, of message: Message) {
    self.message = message
    dbus_message_iter_recurse(&parent, &iterator)
    type = UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator))
  }

  public var isAtEnd: Bool { type == TypeCode.end }

  private mutating func moveOn() {
    guard type != TypeCode.end else { return }
    dbus_message_iter_next(&iterator)
    type = UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator))
  }

  public mutating func skip() { moveOn() }

  // MARK: Text

  /// A string, object path or signature.
  public mutating func string() -> String? { cString().map { String(cString: $0) } }

  /// Whether the next argument is this string; no Swift string is made.
  public mutating func isString(_ text: StaticString) -> Bool {
    guard let found = cString() else { return false }
    return strcmp(found, DBus.cString(text)) == 0
  }

  /// The text's bytes, in place.
  public mutating func withString<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard let found = cString() else { return nil }
    return body(UnsafeRawBufferPointer(start: found, count: strlen(found)))
  }

  /// Points into the message, so outlives the move.
  private mutating func cString() -> UnsafePointer<CChar>? {
    defer { moveOn() }
    guard type == TypeCode.string || type == TypeCode.objectPath || type == TypeCode.signature else { return nil }
    var pointer: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &pointer)
    return pointer
  }

  // MARK: Numbers

  private mutating func basic<Number: BitwiseCopyable>(_ start: Number) -> Number {
    var value = start
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  /// Any integer that fits.
  public mutating func integer() -> Int? {
    defer { moveOn() }
    switch type {
    case TypeCode.byte: return Int(basic(UInt8(0)))
    case TypeCode.int16: return Int(basic(Int16(0)))
    case TypeCode.uint16: return Int(basic(UInt16(0)))
    case TypeCode.int32: return Int(basic(Int32(0)))
    case TypeCode.uint32: return Int(basic(UInt32(0)))
    case TypeCode.int64: return Int(basic(Int64(0)))
    case TypeCode.uint64: return Int(exactly: basic(UInt64(0)))
    default: return nil
    }
  }

  public mutating func boolean() -> Bool? {
    defer { moveOn() }
    return type == TypeCode.boolean ? basic(dbus_bool_t(0)) != 0 : nil
  }

  // MARK: Containers

  public mutating func bytes() -> [UInt8]? { withBytes { [UInt8]($0) } }

  /// The bytes of an `ay`, in place.
  public mutating func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    defer { moveOn() }
    guard type == TypeCode.array, elementType == TypeCode.byte else { return nil }
    var elements = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &elements)
    var start: UnsafePointer<UInt8>?
    var count: CInt = 0
    dbus_message_iter_get_fixed_array(&elements, &start, &count)
    return body(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  private var elementType: UInt8 {
    mutating get { UInt8(truncatingIfNeeded: dbus_message_iter_get_element_type(&iterator)) }
  }

  /// Enters an array, dictionary, entry, structure or variant; the reader is behind it afterwards.
  public mutating func enter<Result>(_ body: (inout MessageReader) -> Result) -> Result? {
    defer { moveOn() }
    switch type {
    case TypeCode.array, TypeCode.entry, TypeCode.structure, TypeCode.variant:
      var inner = MessageReader(entering: &iterator, of: message)
      return body(&inner)
    default: return nil
    }
  }

  /// A descriptor that the message carries, duplicated for the caller.
  public mutating func descriptor() -> FileDescriptor? {
    defer { moveOn() }
    guard type == TypeCode.unixDescriptor else { return nil }
    let number = basic(CInt(-1))
    return number >= 0 ? FileDescriptor(owning: number) : nil
  }

  // MARK: Values

  /// nil at the end only.
  public mutating func value() -> Value? {
    switch type {
    case TypeCode.end: nil
    case TypeCode.string: string().map { .string($0) }
    case TypeCode.objectPath: string().map { .objectPath(ObjectPath($0)) }
    case TypeCode.signature: string().map { .signature($0) }
    case TypeCode.variant: enter { $0.value() }.flatMap { $0 }.map { .variant($0) }
    case TypeCode.structure: enter { $0.remainingValues() }.map { .structure($0) }
    case TypeCode.entry: entry()
    case TypeCode.array: array()
    default: basicValue()
    }
  }

  private mutating func basicValue() -> Value? {
    defer { moveOn() }
    switch type {
    case TypeCode.byte: return .byte(basic(0))
    case TypeCode.boolean: return .boolean(basic(dbus_bool_t(0)) != 0)
    case TypeCode.int16: return .int16(basic(0))
    case TypeCode.uint16: return .uint16(basic(0))
    case TypeCode.int32: return .int32(basic(0))
    case TypeCode.uint32: return .uint32(basic(0))
    case TypeCode.int64: return .int64(basic(0))
    case TypeCode.uint64: return .uint64(basic(0))
    case TypeCode.double: return .double(basic(0))
    case TypeCode.unixDescriptor: return .unixDescriptor(message.keep(descriptor: basic(-1)))
    default: return nil
    }
  }

  private mutating func remainingValues() -> [Value] {
    var values: [Value] = []
    while let value = value() { values.append(value) }
    return values
  }

  private mutating func entry() -> Value? {
    enter { entry in
      guard let key = entry.value(), let value = entry.value() else { return nil }
      return .entry(key: key, value: value)
    }.flatMap { $0 }
  }

  private mutating func array() -> Value? {
    let element = elementType
    if element == TypeCode.byte { return bytes().map { .bytes($0) } }
    let signature = elementSignature()
    if signature == "{sv}" { return properties().map { .properties($0) } }
    return enter { $0.remainingValues() }.map { .array(element: signature, $0) }
  }

  /// An `a{sv}`, the variants taken off the values; entries of another form are left out.
  public mutating func properties() -> [String: Value]? {
    guard type == TypeCode.array, elementType == TypeCode.entry else {
      skip()
      return nil
    }
    return enter { entries in
      var properties: [String: Value] = [:]
      while !entries.isAtEnd {
        entries.enter { entry in
          guard let name = entry.string() else { return }
          if let value = entry.enter({ $0.value() }).flatMap({ $0 }) { properties[name] = value }
        }
      }
      return properties
    }
  }

  /// The signature of an array without its `a`.
  private mutating func elementSignature() -> String {
    guard let signature = dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { dbus_free(signature) }
    return String(cString: signature + 1)
  }
}
