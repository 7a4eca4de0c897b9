public import Foundation

/// What services, characteristics and descriptors have in common.
open class CBAttribute: NSObject {
  private let attributeUUID: CBUUID
  /// The name by which the service knows a remote attribute; nil for one made by the app.
  package let wireID: String?

  package init(uuid: CBUUID, wireID: String?) {
    attributeUUID = uuid
    self.wireID = wireID
  }

  open var uuid: CBUUID { attributeUUID }
}
