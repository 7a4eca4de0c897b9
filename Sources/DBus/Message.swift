public import BridgeIO
internal import CDBus

/// A D-Bus message, owned; released with its last user.
@BridgeQueue
public final class Message {
  public enum Kind: Sendable { case methodCall, methodReturn, error, signal }

  let raw: OpaquePointer

  init(owning raw: OpaquePointer) { self.raw = raw }

  isolated deinit { dbus_message_unref(raw) }

  /// A call that starts no service (NO_AUTO_START) unless `autoStart`.
  public static func methodCall(
    to destination: String, path: ObjectPath, interface: String, member: String, autoStart: Bool = false
  ) -> Message { fatalError() }
  public static func signal(path: ObjectPath, interface: String, member: String) -> Message { fatalError() }
  public func methodReturn() -> Message { fatalError() }
  public func errorReply(_ error: DBusError) -> Message { fatalError() }

  public var kind: Kind { fatalError() }
  public var serial: UInt32 { fatalError() }
  public var sender: String? { fatalError() }
  public var path: String? { fatalError() }
  public var interface: String? { fatalError() }
  public var member: String? { fatalError() }
  public var signature: String { fatalError() }
  /// Of an error reply.
  public var error: DBusError? { fatalError() }

  /// Comparison without making Swift strings; for the dispatch of signals.
  public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool { fatalError() }

  /// Appends arguments. Traps on a value that D-Bus cannot hold (our own mistake).
  @discardableResult
  public func append(_ values: Value...) -> Message { fatalError() }

  /// All arguments, as values. Slower than `read`; for replies that come rarely.
  public var arguments: [Value] { fatalError() }

  /// Walks the arguments without making values of them.
  public func read<Result>(_ body: (inout MessageReader) -> Result) -> Result { fatalError() }

  /// The descriptor of `.unixDescriptor(index)`; once.
  public func takeDescriptor(_ index: CInt) -> FileDescriptor? { fatalError() }
}

/// A cursor over a message's arguments, or over those of a container in it. Each read takes one argument and moves on;
/// a wrong type reads as nil and moves on too. Valid only inside `Message.read`.
@BridgeQueue
public struct MessageReader: ~Copyable {
  init() {}
  public var isAtEnd: Bool { fatalError() }
  public mutating func string() -> String? { fatalError() }
  /// Whether the next argument is this string; no Swift string is made.
  public mutating func isString(_ text: StaticString) -> Bool { fatalError() }
  public mutating func integer() -> Int? { fatalError() }
  public mutating func boolean() -> Bool? { fatalError() }
  public mutating func bytes() -> [UInt8]? { fatalError() }
  public mutating func value() -> Value? { fatalError() }
  public mutating func skip() { fatalError() }
  /// Enters an array, dictionary, entry, structure or variant; the reader is behind it afterwards.
  public mutating func enter<Result>(_ body: (inout MessageReader) -> Result) -> Result? { fatalError() }
}
