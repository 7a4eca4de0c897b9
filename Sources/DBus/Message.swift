public import BridgeIO
internal import CDBus
import Glibc

/// A D-Bus message, owned; released with its last user.
@BridgeQueue
public final class Message {
  public enum Kind: Sendable { case methodCall, methodReturn, error, signal }

  let raw: OpaquePointer
  /// Duplicates made while reading, by index; -1 once taken.
  private var descriptors: [CInt] = []

  init(owning raw: OpaquePointer) { self.raw = raw }

  isolated deinit {
    dbus_message_unref(raw)
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
  }

  // MARK: Making

  /// A call that starts no service (NO_AUTO_START) unless `autoStart`. Names and path are vouched for by the caller.
  public static func methodCall(
    to destination: String, path: ObjectPath, interface: String, member: String, autoStart: Bool = false
  ) -> Message {
    let message = made(dbus_message_new_method_call(destination, path.text, interface, member))
    if !autoStart { dbus_message_set_auto_start(message.raw, 0) }
    return message
  }

  public static func signal(path: ObjectPath, interface: String, member: String) -> Message {
    made(dbus_message_new_signal(path.text, interface, member))
  }

  public func methodReturn() -> Message { Message.made(dbus_message_new_method_return(raw)) }

  /// An error name that D-Bus does not allow becomes `Failed`.
  public func errorReply(_ error: DBusError) -> Message {
    let isValid = dbus_validate_error_name(error.name, nil) != 0
    return Message.made(
      dbus_message_new_error(raw, isValid ? error.name : DBusError.failed("").name, error.message))
  }

  /// libdbus makes no message only when memory has run out.
  private static func made(_ raw: OpaquePointer?) -> Message {
    guard let raw else { fatalError("no memory for a D-Bus message, or a malformed name in it") }
    return Message(owning: raw)
  }

  /// The same message again, not yet sent. Much cheaper than making another.
  public func copy() -> Message { Message.made(dbus_message_copy(raw)) }

  /// As `copy`, with other bytes in the first argument. Traps unless that is an `ay` of as many bytes (our own mistake).
  public func copy(replacingBytes bytes: [UInt8]) -> Message {
    let copy = copy()
    let count: Int? = copy.read { reader in
      reader.withBytes { old in
        guard old.count == bytes.count else { return old.count }
        // libdbus lends the array to be read. Writing in it is sound all the same: nobody else has this copy, nothing of
        // it has been sent, and bytes of any value are valid.
        UnsafeMutableRawBufferPointer(mutating: old).copyBytes(from: bytes)
        return old.count
      }
    }
    precondition(count == bytes.count, "the first argument is no ay of as many bytes")
    return copy
  }

  // MARK: Header

  public var kind: Kind {
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
    case DBUS_MESSAGE_TYPE_ERROR: .error
    default: .signal
    }
  }
  /// 0 until sent.
  public var serial: UInt32 { dbus_message_get_serial(raw) }
  /// Of a call: whether its sender awaits an answer.
  public var wantsReply: Bool { dbus_message_get_no_reply(raw) == 0 }
  public var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
  public var sender: String? { text(dbus_message_get_sender(raw)) }
  public var path: String? { text(dbus_message_get_path(raw)) }
  public var interface: String? { text(dbus_message_get_interface(raw)) }
  public var member: String? { text(dbus_message_get_member(raw)) }
  public var signature: String { text(dbus_message_get_signature(raw)) ?? "" }

  /// Of an error reply.
  public var error: DBusError? {
    guard dbus_message_get_type(raw) == DBUS_MESSAGE_TYPE_ERROR else { return nil }
    let name = text(dbus_message_get_error_name(raw)) ?? DBusError.failed("").name
    return DBusError(name: name, message: read { $0.string() } ?? "")
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

  /// Comparison without making Swift strings; for the dispatch of signals.
  public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
    dbus_message_is_signal(raw, cString(interface), cString(member)) != 0
  }

  /// As `isSignal`, for method calls; a call that names no interface is none of any.
  public func isCall(_ interface: StaticString, _ member: StaticString) -> Bool {
    dbus_message_is_method_call(raw, cString(interface), cString(member)) != 0
  }

  /// Whether the sender is this bus name; no Swift string is made.
  public func isSent(by sender: String) -> Bool { dbus_message_has_sender(raw, sender) != 0 }

  /// The path's bytes, in place.
  public func withPath<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard let path = dbus_message_get_path(raw) else { return nil }
    return body(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  // MARK: Body

  /// Appends arguments. Traps on a value that D-Bus cannot hold (our own mistake).
  @discardableResult
  public func append(_ values: Value...) -> Message { append(contentsOf: values) }

  @discardableResult
  public func append(contentsOf values: [Value]) -> Message {
    var writer = MessageWriter(self)
    for value in values { writer.append(value) }
    return self
  }

  /// All arguments, as values. Slower than `read`; for replies that come rarely.
  public var arguments: [Value] {
    read { reader in
      var values: [Value] = []
      while !reader.isAtEnd { if let value = reader.value() { values.append(value) } }
      return values
    }
  }

  /// Walks the arguments without making values of them.
  public func read<Result>(_ body: (inout MessageReader) -> Result) -> Result {
    var reader = MessageReader(self)
    return body(&reader)
  }

  // MARK: Descriptors

  /// The descriptor of `.unixDescriptor(index)`; once.
  public func takeDescriptor(_ index: CInt) -> FileDescriptor? {
    let index = Int(index)
    guard descriptors.indices.contains(index), descriptors[index] >= 0 else { return nil }
    defer { descriptors[index] = -1 }
    return FileDescriptor(owning: descriptors[index])
  }

  /// Owns a duplicate that libdbus made for us; closed with the message unless taken.
  func keep(descriptor: CInt) -> CInt {
    descriptors.append(descriptor)
    return CInt(descriptors.count - 1)
  }
}
