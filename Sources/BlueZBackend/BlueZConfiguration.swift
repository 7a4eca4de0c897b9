/// How `BlueZRadio` is set up.
public struct BlueZConfiguration: Sendable {
  public var adapter: AdapterSelector = .automatic
  /// Switch the adapter on when it appears switched off.
  public var powersOn = false
  public var agent = AgentConfiguration()
  /// A D-Bus address; nil for the system bus.
  public var busAddress: String?
  /// A directory for what outlives the process: the key of identifiers, and which devices have one. Nil keeps nothing.
  public var stateDirectory: String?
  public var timing = BlueZTiming()

  public init() {}
}
