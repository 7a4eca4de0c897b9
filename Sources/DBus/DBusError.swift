import BridgeIO

/// An error reply, or the reason why there is none: a D-Bus error name and its text.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `org.bluez.Error.Failed`.
  public var name: String
  public var message: String
  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }
  public var description: String { message.isEmpty ? name : "\(name): \(message)" }

  /// The connection to the bus is gone; every call pending on it fails with this.
  public static let disconnected = DBusError(
    name: "org.freedesktop.DBus.Error.Disconnected", message: "The connection to the bus is closed")
}

/// The errors with which every service answers what it does not know.
///
/// - Source: D-Bus Specification and libdbus' `dbus-protocol.h`.
extension DBusError {
  public static func unknownObject(_ path: String) -> DBusError {
    DBusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: "No such object path '\(path)'")
  }
  public static func unknownInterface(_ interface: String) -> DBusError {
    DBusError(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "No such interface '\(interface)'")
  }
  /// In the words of GLib and BlueZ.
  public static func unknownMethod(_ member: String, interface: String, signature: String) -> DBusError {
    DBusError(
      name: "org.freedesktop.DBus.Error.UnknownMethod",
      message:
        "Method \"\(member)\" with signature \"\(signature)\" on interface \"\(interface)\" doesn't exist\n")
  }
  @BridgeQueue
  public static func unknownMethod(_ call: Message) -> DBusError {
    unknownMethod(call.member ?? "", interface: call.interface ?? "", signature: call.signature)
  }
  public static func unknownProperty(_ name: String) -> DBusError {
    DBusError(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "No such property '\(name)'")
  }
  public static func invalidArguments(_ message: String) -> DBusError {
    DBusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }
  public static func failed(_ message: String) -> DBusError {
    DBusError(name: "org.freedesktop.DBus.Error.Failed", message: message)
  }
}
