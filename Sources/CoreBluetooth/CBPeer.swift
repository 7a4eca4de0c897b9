public import Foundation

/// A remote device.
open class CBPeer: NSObject, NSCopying {
  private let peerIdentifier: UUID

  package init(identifier: UUID) { peerIdentifier = identifier }

  /// Given by this host, and the same whenever it meets the device again.
  open var identifier: UUID { peerIdentifier }

  open func copy(with zone: NSZone? = nil) -> Any { self }
}
