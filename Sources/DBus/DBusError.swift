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
