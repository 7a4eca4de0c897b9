import BridgeIO
internal import CDBus

/// Appends values to a message under construction.
@BridgeQueue
struct MessageWriter {
  private var iterator = DBusMessageIter()

  init(_ message: Message) { dbus_message_iter_init_append(message.raw, &iterator) }

  private init() {}

  mutating func append(_ value: Value) {
    switch value {
    case .byte(let value): basic(TypeCode.byte, value)
    case .boolean(let value): basic(TypeCode.boolean, dbus_bool_t(value ? 1 : 0))
    case .int16(let value): basic(TypeCode.int16, value)
    case .uint16(let value): basic(TypeCode.uint16, value)
    case .int32(let value): basic(TypeCode.int32, value)
    case .uint32(let value): basic(TypeCode.uint32, value)
    case .int64(let value): basic(TypeCode.int64, value)
    case .uint64(let value): basic(TypeCode.uint64, value)
    case .double(let value): basic(TypeCode.double, value)
    case .unixDescriptor(let number): basic(TypeCode.unixDescriptor, number)
    case .string(let text): string(TypeCode.string, text)
    case .objectPath(let path): string(TypeCode.objectPath, path.text)
    case .signature(let text): string(TypeCode.signature, text)
    case .variant(let value): variant(value)
    case .bytes(let bytes): append(bytes)
    case .properties(let properties): append(properties)
    case .array(let element, let values):
      container(TypeCode.array, element) { inner in for value in values { inner.append(value) } }
    case .structure(let values):
      container(TypeCode.structure, nil) { inner in for value in values { inner.append(value) } }
    case .entry(let key, let value):
      container(TypeCode.entry, nil) { inner in
        inner.append(key)
        inner.append(value)
      }
    }
  }

  private mutating func basic<Number: BitwiseCopyable>(_ type: UInt8, _ value: Number) {
    var value = value
    check(dbus_message_iter_append_basic(&iterator, CInt(type), &value))
  }

  private mutating func string(_ type: UInt8, _ text: String) {
    text.withCString { pointer in
      var pointer: UnsafePointer<CChar>? = pointer
      check(dbus_message_iter_append_basic(&iterator, CInt(type), &pointer))
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    container(TypeCode.array, "y") { inner in
      bytes.withUnsafeBufferPointer { buffer in
        guard var start = buffer.baseAddress else { return }
        inner.check(
          dbus_message_iter_append_fixed_array(&inner.iterator, CInt(TypeCode.byte), &start, CInt(buffer.count)))
      }
    }
  }

  private mutating func append(_ properties: [String: Value]) {
    container(TypeCode.array, "{sv}") { inner in
      for (name, value) in properties {
        inner.container(TypeCode.entry, nil) { entry in
          entry.string(TypeCode.string, name)
          entry.variant(value)
        }
      }
    }
  }

  private mutating func variant(_ value: Value) {
    container(TypeCode.variant, value.typeSignature) { $0.append(value) }
  }

  private mutating func container(_ type: UInt8, _ signature: String?, _ body: (inout MessageWriter) -> Void) {
    var inner = MessageWriter()
    check(dbus_message_iter_open_container(&iterator, CInt(type), signature, &inner.iterator))
    body(&inner)
    check(dbus_message_iter_close_container(&iterator, &inner.iterator))
  }

  /// libdbus refuses only when memory or descriptors have run out; a value of the wrong form it ends by itself.
  private func check(_ done: dbus_bool_t) { precondition(done != 0, "a D-Bus message could not be written") }
}
