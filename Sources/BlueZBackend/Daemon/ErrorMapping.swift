import BridgeProtocol
import DBus

/// What a refused call was to do; the same D-Bus error means different things for each.
enum GATTOperation: Sendable {
  case read, write, writeCommand, startNotify, stopNotify
}

/// What a D-Bus error says about a GATT request.
enum GATTFailure: Hashable, Sendable {
  /// The request failed; tell whoever asked.
  case error(BluetoothError)
  /// bluetoothd was busy: the same call again, soon. Never reported.
  case busy
  /// What bluetoothd also says when the link is going down: report this error only if the link stays.
  case linkMayBeLost(BluetoothError)
  /// What was asked for is so already.
  case alreadyDone
}

/// The one table from what BlueZ's GATT client answers to what CoreBluetooth says.
///
/// - Source: BlueZ `src/gatt-client.c` (`create_gatt_dbus_error`), `src/error.c`; the texts are the same in 5.55 to 5.87.
enum ErrorMapping {
  /// - Parameters:
  ///   - isPaired: whether the device is paired; `Not paired` alone does not tell ATT 0x05 from 0x0F.
  ///   - service: UUID of the attribute's service, for what bluetoothd claims for itself.
  static func failure(
    _ error: DBusError, of operation: GATTOperation, isPaired: Bool, service: BluetoothUUID? = nil
  ) -> GATTFailure {
    switch error.name {
    case "org.bluez.Error.InProgress": .busy
    case "org.bluez.Error.Failed": failed(error.message, operation)
    case "org.bluez.Error.NotPermitted": .error(notPermitted(error.message, operation, isPaired))
    case "org.bluez.Error.NotAuthorized": .error(notAuthorized(operation, service))
    case "org.bluez.Error.NotSupported": .error(.attribute(0x06))
    case "org.bluez.Error.InvalidArguments": .error(invalidArguments(error.message))
    case "org.bluez.Error.InvalidOffset": .error(.attribute(0x07))
    case "org.bluez.Error.InvalidValueLength": .error(.attribute(0x0D))
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected",
      "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
      .error(.attribute(isPaired ? 0x05 : 0x0F))
    case "org.bluez.Error.NotConnected", "org.bluez.Error.NotReady": .linkMayBeLost(.notConnected)
    case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface":
      .linkMayBeLost(.attribute(0x01))
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.Disconnected":
      .linkMayBeLost(.peripheralDisconnected)
    default: .error(BluetoothError.unknown.saying("\(error)"))
    }
  }

  private static func failed(_ text: String, _ operation: GATTOperation) -> GATTFailure {
    if let code = attributeCode(in: text) {
      // Every queued request is answered 0x0E when the link falls, before the link is said to be down.
      return code == 0x0E ? .linkMayBeLost(.attribute(code)) : .error(.attribute(code))
    }
    switch text {
    case "Not connected": return .linkMayBeLost(.notConnected)
    case "Operation already in progress", "In Progress", "Failed to register notify session": return .busy
    case "No notify session started": return operation == .stopNotify ? .alreadyDone : .error(.attribute(0x0E))
    case "Failed to initiate write": return .error(.attribute(operation == .writeCommand ? 0x0D : 0x0E))
    case "Operation failed", "Bad address", "Failed to send read request": return .error(.attribute(0x0E))
    default: return .error(BluetoothError.attribute(0x0E).saying(text))
    }
  }

  private static func notPermitted(_ text: String, _ operation: GATTOperation, _ isPaired: Bool) -> BluetoothError {
    switch text {
    case "Read not permitted": .attribute(0x02)
    case "Write not permitted": .attribute(0x03)
    case "Not paired": .attribute(isPaired ? 0x05 : 0x0F)
    case "Write acquired", "Notify acquired": .attribute(0x11)
    default: .attribute(operation == .read ? 0x02 : 0x03)
    }
  }

  /// Said for ATT 0x08 and, since 5.80, for a write to a service that a plugin of bluetoothd keeps to itself.
  private static func notAuthorized(_ operation: GATTOperation, _ service: BluetoothUUID?) -> BluetoothError {
    let isWrite = operation == .write || operation == .writeCommand
    if isWrite, service?.short == 0x180A || service?.short == 0x180F { return .attribute(0x03) }
    return .attribute(0x08)
  }

  private static func invalidArguments(_ text: String) -> BluetoothError {
    switch text {
    case "Invalid offset": .attribute(0x07)
    case "Invalid Length": .attribute(0x0D)
    default: BluetoothError.invalidParameters.saying(text)
    }
  }

  /// The number in `Operation failed with ATT error: 0x80`.
  static func attributeCode(in text: String) -> UInt8? {
    let prefix = "Operation failed with ATT error: 0x"
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    let digits = text.utf8.dropFirst(prefix.utf8.count)
    guard (1...2).contains(digits.count) else { return nil }
    return UInt8(Substring(digits), radix: 16)
  }
}

// MARK: Connections

/// What a failed `Connect` means for whoever goes on wanting the link.
enum ConnectFailure: Hashable, Sendable {
  /// The attempt failed for no known reason: try again.
  case tryAgain
  /// `Disconnect` ended the attempt.
  case cancelled
  /// Another attempt is still under way.
  case inProgress
  /// The device has no object any more: it must be heard again first.
  case objectGone
  /// bluetoothd or the bus is gone.
  case daemonGone
  /// The adapter is off.
  case poweredOff
  /// Trying again is pointless.
  case refused(BluetoothError)
}

extension ErrorMapping {
  /// - Source: BlueZ `src/error.c`, `src/device.c`; texts differ between 5.55, 5.62 and 5.83.
  static func connectFailure(_ error: DBusError) -> ConnectFailure {
    switch error.name {
    case "org.bluez.Error.InProgress": return .inProgress
    case "org.bluez.Error.NotReady": return .poweredOff
    case "org.bluez.Error.AuthenticationCanceled": return .cancelled
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected",
      "org.bluez.Error.AuthenticationTimeout":
      return .refused(.encryptionTimedOut)
    case "org.bluez.Error.DoesNotExist", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface":
      return .objectGone
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.Disconnected":
      return .daemonGone
    case "org.freedesktop.DBus.Error.AccessDenied":
      return .refused(BluetoothError.connectionFailed.saying("This user may not use bluetoothd: \(error.message)"))
    default: return connectFailure(text: error.message)
    }
  }

  private static func connectFailure(text: String) -> ConnectFailure {
    switch text {
    case "Cancelled", "br-connection-canceled", "le-connection-canceled": .cancelled
    case "Operation already in progress", "br-connection-busy", "le-connection-busy": .inProgress
    case "br-connection-key-missing", "le-connection-key-missing": .refused(.peerRemovedPairingInformation)
    case "Input/output error", "br-connection-adapter-not-powered", "le-connection-adapter-not-powered": .poweredOff
    default: .tryAgain
    }
  }

  /// The error that `Device1.Disconnected(name, message)` stands for when the disconnect was not asked for.
  ///
  /// - Source: BlueZ 5.83 `doc/org.bluez.Device.rst`.
  static func disconnection(reason: String?) -> BluetoothError {
    switch reason {
    case "org.bluez.Reason.Timeout": .connectionTimeout
    case "org.bluez.Reason.Authentication": .encryptionTimedOut
    default: .peripheralDisconnected
    }
  }
}
