/// What is discovered inside an attribute, which CoreBluetooth asks for step by step.
public enum DiscoveryStep: Hashable, Sendable {
  /// Of the service with that handle.
  case includedServices(AttributeHandle)
  /// Of the service with that handle.
  case characteristics(AttributeHandle)
  /// Of the characteristic with that handle.
  case descriptors(AttributeHandle)

  /// In what is discovered.
  public var attribute: AttributeHandle {
    switch self {
    case .includedServices(let handle), .characteristics(let handle), .descriptors(let handle): handle
    }
  }
}
