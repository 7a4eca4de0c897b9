/// The bounds of the wire.
public enum ProtocolLimits {
  /// Bytes of one line, its LF not counted.
  public static let maximumLineLength = 8 << 20
  /// Bytes of a characteristic's or descriptor's value.
  ///
  /// - Source: Core Specification Vol 3, Part F, 3.2.9.
  public static let maximumValueLength = 512
  /// Raw bytes of one `l2capData` message; larger `l2capWrite` messages are accepted.
  public static let l2capChunkLength = 2048
  /// Arrays and objects inside one another, the message itself included.
  public static let maximumDepth = 128
  /// Values and keys of one line together.
  public static let maximumValuesPerLine = 1 << 20
}
