public import CCoreBluetooth
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// An error that the other side's attribute server answered with. Its code may be one without a name: 0x80...0xFF are
/// the application's.
public struct CBATTError: _BridgedStoredNSError {
  public typealias Code = CBATTErrorCode

  public let _nsError: NSError

  public init(_nsError error: NSError) {
    precondition(error.domain == CBATTErrorDomain)
    _nsError = error
  }

  public static var _nsErrorDomain: String { CBATTErrorDomain }

  public static var success: Code { .success }
  public static var invalidHandle: Code { .invalidHandle }
  public static var readNotPermitted: Code { .readNotPermitted }
  public static var writeNotPermitted: Code { .writeNotPermitted }
  public static var invalidPdu: Code { .invalidPdu }
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  public static var requestNotSupported: Code { .requestNotSupported }
  public static var invalidOffset: Code { .invalidOffset }
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  public static var prepareQueueFull: Code { .prepareQueueFull }
  public static var attributeNotFound: Code { .attributeNotFound }
  public static var attributeNotLong: Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  public static var unlikelyError: Code { .unlikelyError }
  public static var insufficientEncryption: Code { .insufficientEncryption }
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  public static var insufficientResources: Code { .insufficientResources }
}

// The C target is a part of this one: nobody else can add the conformance.
// swift-format-ignore: AvoidRetroactiveConformances
extension CBATTErrorCode: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBATTError
}
