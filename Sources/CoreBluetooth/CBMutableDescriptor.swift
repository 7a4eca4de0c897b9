import BridgeProtocol
import Foundation

/// A descriptor that the app publishes: a user description (2901, `String`) or a presentation format (2904, `Data`).
open class CBMutableDescriptor: CBDescriptor {
  /// Ends the process for a value of the wrong type, where Apple's raises an exception.
  public init(type UUID: CBUUID, value: Any?) {
    switch UUID.value.short {
    case 0x2901:
      if let value, !(value is String) {
        Misuse.raise(
          "NSInternalInconsistencyException", "Expecting NSString value type for User Description descriptor")
      }
    case 0x2904:
      if let value, !(value is Data) {
        Misuse.raise("NSInternalInconsistencyException", "Expecting NSData value type for Format descriptor")
      }
    default: break
    }
    super.init(uuid: UUID, value: value, characteristic: nil, wireID: nil)
  }
}
