public import CCoreBluetooth
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CBErrorDomain: String = "CBErrorDomain"

/// An error of the radio or of a connection.
public struct CBError: _BridgedStoredNSError {
  public typealias Code = CBErrorCode

  public let _nsError: NSError

  public init(_nsError error: NSError) {
    precondition(error.domain == CBErrorDomain)
    _nsError = error
  }

  public static var _nsErrorDomain: String { CBErrorDomain }

  public static var unknown: Code { .unknown }
  public static var invalidParameters: Code { .invalidParameters }
  public static var invalidHandle: Code { .invalidHandle }
  public static var notConnected: Code { .notConnected }
  public static var outOfSpace: Code { .outOfSpace }
  public static var operationCancelled: Code { .operationCancelled }
  public static var connectionTimeout: Code { .connectionTimeout }
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  public static var connectionFailed: Code { .connectionFailed }
  public static var connectionLimitReached: Code { .connectionLimitReached }
  public static var unknownDevice: Code { .unknownDevice }
  @available(*, deprecated, renamed: "unknownDevice")
  public static var unkownDevice: Code { .unknownDevice }
  public static var operationNotSupported: Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
}

// The C target is a part of this one: nobody else can add the conformance.
// swift-format-ignore: AvoidRetroactiveConformances
extension CBErrorCode: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBError

  @available(*, deprecated, renamed: "unknownDevice")
  public static var unkownDevice: CBErrorCode { .unknownDevice }
}
