public import BridgeIO
public import BridgeProtocol
public import Radio

/// What a service whose radios can be chosen gets them from. The server knows no kind of radio itself.
@BridgeQueue
public protocol WorldFactory: AnyObject {
  /// A new radio that is this machine's adapter. At most one is in use at a time.
  func makeHardwareRadio() -> any Radio

  /// A new radio of virtual peripherals.
  func makeMockRadio(_ configuration: MockConfiguration) -> any MockRadio

  /// The world of peripherals that clients host; nil where they cannot.
  func makeHostedWorld() -> (any HostedWorld)?

  /// Finds a configuration by name, in a later turn.
  func loadConfiguration(
    named name: String, completion: @escaping @BridgeQueue (Result<MockConfiguration, BluetoothError>) -> Void)

  /// Somebody has chosen: the next run begins with it.
  func remember(_ choice: RadioChoice)
}

extension WorldFactory {
  public func makeHostedWorld() -> (any HostedWorld)? { nil }
}

/// What a service is told to serve.
public struct RadioChoice: Hashable, Sendable {
  public var mode: RadioMode
  /// What the virtual peripherals are made of.
  public var configuration: MockConfiguration

  public init(mode: RadioMode = .auto, configuration: MockConfiguration = .stock[0]) {
    self.mode = mode
    self.configuration = configuration
  }
}
