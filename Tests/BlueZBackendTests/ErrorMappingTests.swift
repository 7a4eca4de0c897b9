import BridgeProtocol
import DBus
import Testing

@testable import BlueZBackend

@Suite struct ErrorMappingTests {
  private func failed(_ text: String) -> DBusError { DBusError(name: "org.bluez.Error.Failed", message: text) }
  private func notPermitted(_ text: String) -> DBusError {
    DBusError(name: "org.bluez.Error.NotPermitted", message: text)
  }
  private func map(_ error: DBusError, _ operation: GATTOperation = .read, paired: Bool = false) -> GATTFailure {
    ErrorMapping.failure(error, of: operation, isPaired: paired)
  }

  @Test(arguments: [UInt8(0x01), 0x04, 0x09, 0x0B, 0x11, 0x13, 0x80, 0x9F, 0xFC, 0xFF])
  func `the peer's ATT error travels as its number`(code: UInt8) {
    let text = "Operation failed with ATT error: 0x" + (code < 16 ? "0" : "") + String(code, radix: 16)
    #expect(map(failed(text)) == .error(.attribute(code)))
  }

  @Test(arguments: [
    "Operation failed with ATT error: 0x", "Operation failed with ATT error: 0x123",
    "Operation failed with ATT error: x1",
    "Operation failed with ATT error: 0xzz", "Operation failed", "",
  ])
  func `text without a number has none`(text: String) {
    #expect(ErrorMapping.attributeCode(in: text) == nil)
  }

  @Test func `unlikely error may be the link going down`() {
    #expect(map(failed("Operation failed with ATT error: 0x0e")) == .linkMayBeLost(.attribute(0x0E)))
    #expect(map(failed("Not connected")) == .linkMayBeLost(.notConnected))
    #expect(map(DBusError(name: "org.bluez.Error.NotConnected", message: "")) == .linkMayBeLost(.notConnected))
    #expect(map(.disconnected) == .linkMayBeLost(.peripheralDisconnected))
  }

  @Test func `not permitted is told apart by its text`() {
    #expect(map(notPermitted("Read not permitted")) == .error(.attribute(2)))
    #expect(map(notPermitted("Write not permitted"), .write) == .error(.attribute(3)))
    #expect(map(notPermitted("Not paired")) == .error(.attribute(15)))
    #expect(map(notPermitted("Not paired"), paired: true) == .error(.attribute(5)))
    #expect(map(notPermitted("Write acquired"), .write) == .error(.attribute(17)))
    #expect(map(notPermitted("Notify acquired"), .startNotify) == .error(.attribute(17)))
  }

  @Test func `ATT errors with names of their own`() {
    #expect(map(DBusError(name: "org.bluez.Error.NotSupported", message: "")) == .error(.attribute(6)))
    #expect(
      map(DBusError(name: "org.bluez.Error.InvalidArguments", message: "Invalid offset")) == .error(.attribute(7)))
    #expect(map(DBusError(name: "org.bluez.Error.NotAuthorized", message: "")) == .error(.attribute(8)))
    #expect(
      map(DBusError(name: "org.bluez.Error.InvalidArguments", message: "Invalid Length"), .write)
        == .error(.attribute(13)))
    #expect(map(failed("Operation failed")) == .error(.attribute(14)))
    #expect(map(failed("Bad address"), .write) == .error(.attribute(14)))
  }

  @Test func `a write to a service that bluetoothd keeps for itself is not permitted`() {
    let error = DBusError(name: "org.bluez.Error.NotAuthorized", message: "Operation Not Authorized")
    let battery = BluetoothUUID(short: 0x180F)
    #expect(
      ErrorMapping.failure(error, of: .write, isPaired: false, service: battery) == .error(.attribute(3)))
    #expect(ErrorMapping.failure(error, of: .read, isPaired: false, service: battery) == .error(.attribute(8)))
    #expect(
      ErrorMapping.failure(error, of: .write, isPaired: false, service: BluetoothUUID(short: 0x180D))
        == .error(.attribute(8)))
  }

  @Test func `busy is tried again and never told`() {
    #expect(map(DBusError(name: "org.bluez.Error.InProgress", message: "In Progress")) == .busy)
    #expect(map(failed("Failed to register notify session"), .startNotify) == .busy)
  }

  @Test func `a command too long is a length error, a request that was not sent is unlikely`() {
    #expect(map(failed("Failed to initiate write"), .writeCommand) == .error(.attribute(13)))
    #expect(map(failed("Failed to initiate write"), .write) == .error(.attribute(14)))
  }

  @Test func `stopping what is stopped is done`() {
    #expect(map(failed("No notify session started"), .stopNotify) == .alreadyDone)
  }

  @Test func `a vanished object is an invalid handle, unless the whole device has vanished`() {
    let error = DBusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: "Method does not exist")
    #expect(map(error) == .linkMayBeLost(.attribute(1)))
  }

  @Test func `an unknown error keeps its words`() {
    let error = DBusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Rejected send message")
    #expect(map(error) == .error(BluetoothError.unknown.saying("\(error)")))
  }

  @Test(arguments: ["Software caused connection abort", "le-connection-abort-by-local", "le-connection-unknown", ""])
  func `a failed connect without a cause is tried again`(text: String) {
    #expect(ErrorMapping.connectFailure(failed(text)) == .tryAgain)
  }

  @Test func `failed connects with a cause`() {
    #expect(ErrorMapping.connectFailure(failed("Cancelled")) == .cancelled)
    #expect(ErrorMapping.connectFailure(failed("br-connection-canceled")) == .cancelled)
    #expect(ErrorMapping.connectFailure(failed("Operation already in progress")) == .inProgress)
    #expect(ErrorMapping.connectFailure(failed("Input/output error")) == .poweredOff)
    #expect(
      ErrorMapping.connectFailure(failed("br-connection-key-missing")) == .refused(.peerRemovedPairingInformation))
    #expect(
      ErrorMapping.connectFailure(DBusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: ""))
        == .objectGone)
    #expect(ErrorMapping.connectFailure(.disconnected) == .daemonGone)
  }

  @Test func `reasons of a disconnect`() {
    #expect(ErrorMapping.disconnection(reason: "org.bluez.Reason.Timeout") == .connectionTimeout)
    #expect(ErrorMapping.disconnection(reason: "org.bluez.Reason.Remote") == .peripheralDisconnected)
    #expect(ErrorMapping.disconnection(reason: nil) == .peripheralDisconnected)
    #expect(ErrorMapping.disconnection(reason: "org.bluez.Reason.Authentication") == .encryptionTimedOut)
  }
}
