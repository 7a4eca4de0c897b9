/// The version of the wire's additions (docs/protocol.md), as `welcome` tells it.
public enum ProtocolVersion {
  /// Grows with every addition that a client may want to know of; nothing that exists ever changes shape.
  public static let current = 1
}
