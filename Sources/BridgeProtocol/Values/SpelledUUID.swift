/// A UUID with the spelling that a client used for it.
public struct SpelledUUID: Hashable, Sendable {
  public let uuid: BluetoothUUID
  public let text: String

  /// Reads what `BluetoothUUID` reads; the text is kept in upper case.
  public init?(_ text: String) {
    guard let uuid = BluetoothUUID(text) else { return nil }
    self.uuid = uuid
    self.text = text.uppercased()
  }

  /// In the usual spelling.
  public init(_ uuid: BluetoothUUID) {
    self.uuid = uuid
    text = uuid.text
  }
}
