extension PeripheralIdentifier {
  /// The peripheral of an attribute or channel identifier: what stands before the first colon.
  public init?(ownerOf identifier: String) {
    var identifier = identifier
    guard let owner = identifier.withUTF8(PeripheralIdentifier.init(ownerOfAttribute:)) else { return nil }
    self = owner
  }

  /// The same from UTF-8.
  init?(ownerOfAttribute identifier: UnsafeBufferPointer<UInt8>) {
    guard identifier.count > 36, identifier[36] == UInt8(ascii: ":") else { return nil }
    self.init(utf8: UnsafeBufferPointer(rebasing: identifier[..<36]))
  }
}
