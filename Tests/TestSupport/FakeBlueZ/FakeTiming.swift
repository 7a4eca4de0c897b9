/// How long the fake takes. The defaults are short, for tests; bluetoothd's are in the comments.
public struct FakeTiming: Sendable {
  /// From Connect to Connected, of a reachable peripheral.
  public var connect: Duration = .zero
  /// From Connected to ServicesResolved.
  public var resolve: Duration = .zero
  /// From Disconnect to Connected=false; 2 s.
  public var disconnect: Duration = .milliseconds(5)
  /// From a request to its answer over the air.
  public var request: Duration = .zero
  /// From the last advertisement to the removal of a temporary device; 30 s. nil: never.
  public var temporary: Duration?
  public init() {}
}
