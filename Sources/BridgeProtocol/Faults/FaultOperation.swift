/// What a fault happens to.
public enum FaultOperation: String, CaseIterable, Sendable {
  case connect
  case disconnect
  case discoverServices
  case discoverIncludedServices
  case discoverCharacteristics
  case discoverDescriptors
  case read
  case write
  case writeWithoutResponse
  case readDescriptor
  case writeDescriptor
  case setNotify
  case readRSSI
  case openL2CAP
  /// Any of the requests over a link: all above but connect and disconnect.
  case request
  /// A value that the device sends by itself.
  case notification
  case advertisement
  /// The link itself, once for each time it stands.
  case link

  /// Whether a rule for this one is a rule for `operation` too.
  public func covers(_ operation: FaultOperation) -> Bool {
    self == operation || self == .request && operation.isRequest
  }

  /// Something asked over a link, and answered.
  public var isRequest: Bool {
    switch self {
    case .connect, .disconnect, .notification, .advertisement, .link: false
    default: true
    }
  }

  /// Whether it concerns one attribute, which a rule may name.
  public var hasAttribute: Bool {
    switch self {
    case .connect, .disconnect, .discoverServices, .readRSSI, .openL2CAP, .advertisement, .link: false
    default: true
    }
  }
}
