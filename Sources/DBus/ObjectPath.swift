internal import CDBus

/// A path that names an object on the bus.
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let text: String
  /// The caller vouches for the form: a malformed path ends the process when it is written into a message.
  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.init(text) }
  /// For text from outside; nil unless it has the form of a path.
  public init?(validating text: String) {
    guard !text.utf8.contains(0), dbus_validate_path(text, nil) != 0 else { return nil }
    self.text = text
  }
  public var description: String { text }
}
