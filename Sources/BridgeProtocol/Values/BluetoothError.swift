/// A failure as CoreBluetooth names it: domain, code and the text that Apple shows for it.
///
/// - Source: Apple `CBError.Code` and `CBATTError.Code`; Core Specification Vol 3, Part F, 3.4.1.1.
public struct BluetoothError: Error, Hashable, Sendable {
  public enum Domain: String, Sendable {
    case bluetooth = "CBErrorDomain"
    case attribute = "CBATTErrorDomain"
    /// A failure that came as text only; its code is 1, and domain and code do not travel.
    case impossible = "ImpossiBLE"
  }

  public var domain: Domain
  public var code: Int
  public var text: String

  public init(_ domain: Domain, _ code: Int, _ text: String) {
    self.domain = domain
    self.code = code
    self.text = text
  }

  /// The same error, told in other words.
  public func saying(_ text: String) -> BluetoothError { BluetoothError(domain, code, text) }
}

extension BluetoothError {
  /// The peer's ATT error byte, application codes 0x80...0xFF included.
  public static func attribute(_ code: UInt8) -> BluetoothError {
    let text = attributeTexts[code] ?? "Unknown ATT error."
    return BluetoothError(.attribute, Int(code), text)
  }

  private static let attributeTexts: [UInt8: String] = [
    0x01: "The handle is invalid.",
    0x02: "Reading is not permitted.",
    0x03: "Writing is not permitted.",
    0x04: "The command is invalid.",
    0x05: "Authentication is insufficient.",
    0x06: "The request is not supported.",
    0x07: "The offset is invalid.",
    0x08: "Authorization is insufficient.",
    0x09: "The prepare queue is full.",
    0x0A: "The attribute could not be found.",
    0x0B: "The attribute is not long.",
    0x0C: "The encryption key size is insufficient.",
    0x0D: "The value's length is invalid.",
    0x0E: "Unlikely error.",
    0x0F: "Encryption is insufficient.",
    0x10: "The group type is unsupported.",
    0x11: "Resources are insufficient.",
  ]

  /// The error of a `CBError.Code`; nil if there is none.
  public static func bluetooth(_ code: Int) -> BluetoothError? {
    bluetoothErrors.first { $0.code == code }
  }

  private static let bluetoothErrors: [BluetoothError] = [
    unknown, invalidParameters, invalidHandle, notConnected, outOfSpace, operationCancelled, connectionTimeout,
    peripheralDisconnected, uuidNotAllowed, alreadyAdvertising, connectionFailed, connectionLimitReached, unknownDevice,
    operationNotSupported, peerRemovedPairingInformation, encryptionTimedOut, tooManyLEPairedDevices,
  ]

  public static let unknown = BluetoothError(.bluetooth, 0, "Unknown error.")
  public static let invalidParameters = BluetoothError(.bluetooth, 1, "One or more parameters were invalid.")
  public static let invalidHandle = BluetoothError(.bluetooth, 2, "The specified attribute handle is invalid.")
  public static let notConnected = BluetoothError(.bluetooth, 3, "The specified device is not connected.")
  public static let outOfSpace = BluetoothError(.bluetooth, 4, "There is no space left.")
  public static let operationCancelled = BluetoothError(.bluetooth, 5, "The operation was cancelled.")
  public static let connectionTimeout = BluetoothError(.bluetooth, 6, "The connection has timed out unexpectedly.")
  public static let peripheralDisconnected = BluetoothError(
    .bluetooth, 7, "The specified device has disconnected from us.")
  public static let uuidNotAllowed = BluetoothError(
    .bluetooth, 8, "The specified UUID is not allowed for this operation.")
  public static let alreadyAdvertising = BluetoothError(.bluetooth, 9, "Advertising has already started.")
  public static let connectionFailed = BluetoothError(.bluetooth, 10, "The connection has failed unexpectedly.")
  public static let connectionLimitReached = BluetoothError(
    .bluetooth, 11, "The device has reached its maximum number of connections.")
  public static let unknownDevice = BluetoothError(.bluetooth, 12, "The device is unknown.")
  public static let operationNotSupported = BluetoothError(.bluetooth, 13, "The operation is not supported.")
  public static let peerRemovedPairingInformation = BluetoothError(
    .bluetooth, 14, "Peer removed pairing information.")
  public static let encryptionTimedOut = BluetoothError(
    .bluetooth, 15, "Failed to encrypt the connection, the connection has timed out unexpectedly.")
  public static let tooManyLEPairedDevices = BluetoothError(.bluetooth, 16, "Too many LE paired devices.")
}
