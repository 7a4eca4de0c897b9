import BridgeIO
import BridgeProtocol
import CBluetooth
import Glibc
import Radio

/// An L2CAP channel being opened on an existing link.
///
/// The socket is bound first, to the adapter's address with its LE type: unbound, or with the wrong type, the kernel
/// takes the peer for another device and tries to connect to that for 40 s.
///
/// - Source: Linux `net/bluetooth/l2cap_sock.c`; Core Specification Vol 3, Part A, 4.22.
@BridgeQueue
final class L2CAPSocket {
  /// What we can take in one piece; the kernel hands out credits for it.
  private static let receiveMTU: UInt16 = 8192

  private let psm: UInt16
  private var completion: RadioCompletion<any RadioL2CAPChannel>?
  private var descriptor: FileDescriptor?
  private var watch: DescriptorWatch?

  /// - Parameters:
  ///   - adapter: the adapter's own address and address type.
  ///   - peer: the device's current address and type. Must be connected, else the kernel connects by itself.
  ///   - psm: 0x01 to 0xFF, else `invalidParameters`.
  @discardableResult
  static func open(
    adapter: BluetoothAddress, peer: BluetoothAddress, psm: UInt16,
    completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) -> L2CAPSocket {
    let socket = L2CAPSocket(psm: psm, completion)
    guard (0x01...0xFF).contains(psm) else {
      socket.failLater(.invalidParameters)
      return socket
    }
    do throws(SystemError) {
      try socket.connect(adapter, peer)
    } catch {
      socket.failLater(openError(error))
    }
    return socket
  }

  private init(psm: UInt16, _ completion: @escaping RadioCompletion<any RadioL2CAPChannel>) {
    self.psm = psm
    self.completion = completion
  }

  /// Gives up: fails the completion with `error` unless it was called already.
  func cancel(_ error: BluetoothError) { finish(.failure(error)) }

  private func connect(_ adapter: BluetoothAddress, _ peer: BluetoothAddress) throws(SystemError) {
    let new = try BluetoothSocket.make(SOCK_SEQPACKET, BTPROTO_L2CAP)
    let number = new.number
    descriptor = consume new
    try BluetoothSocket.bind(number, to: adapter)
    try BluetoothSocket.setOption(number, SOL_BLUETOOTH, BT_RCVMTU, Self.receiveMTU)
    do throws(SystemError) {
      try BluetoothSocket.connect(number, to: peer, psm: psm)
    } catch  where error.errno == EINPROGRESS || error.errno == EAGAIN {
      // The usual way.
    }
    watch = DescriptorWatch(number, for: .writing) { _ in self.connectEnded(number) }
  }

  private func connectEnded(_ number: CInt) {
    do throws(SystemError) {
      let error = try BluetoothSocket.option(number, SOL_SOCKET, SO_ERROR, CInt(0))
      guard error == 0 else { throw SystemError(call: "connect", errno: error) }
      let sendMTU = try BluetoothSocket.option(number, SOL_BLUETOOTH, BT_SNDMTU, UInt16(0))
      succeed(sendMTU: Int(sendMTU))
    } catch {
      finish(.failure(Self.openError(error)))
    }
  }

  private func succeed(sendMTU: Int) {
    watch?.cancel()
    watch = nil
    guard let descriptor = descriptor.take() else { return }
    let channel = L2CAPChannel(
      consume descriptor, psm: psm, sendMTU: sendMTU, receiveMTU: Int(Self.receiveMTU), unsent: { Self.unsentBytes($0) }
    )
    finish(.success(channel))
  }

  private func failLater(_ error: BluetoothError) {
    BridgeQueue.atEndOfTurn { self.finish(.failure(error)) }
  }

  private func finish(_ result: Result<any RadioL2CAPChannel, BluetoothError>) {
    watch?.cancel()
    watch = nil
    descriptor = nil
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  /// What the kernel has taken and not yet given to the controller; closing the socket throws that away.
  private static func unsentBytes(_ descriptor: CInt) -> Int {
    var room: CInt = 0
    // For Bluetooth sockets TIOCOUTQ is the room that is left, not what is queued.
    guard ioctl(descriptor, UInt(TIOCOUTQ), &room) == 0,
      let size = try? BluetoothSocket.option(descriptor, SOL_SOCKET, SO_SNDBUF, CInt(0))
    else { return 0 }
    return max(0, Int(size) - Int(room))
  }

  /// - Source: errno values of `connect` as `l2cap_sock_connect` and `l2cap_le_connect_rsp` produce them.
  nonisolated static func openError(_ error: SystemError) -> BluetoothError {
    switch error.errno {
    case EACCES: .attribute(0x0F)
    case EINVAL: .invalidParameters
    case ENOMEM, EMFILE, ENFILE, ENOBUFS: BluetoothError.outOfSpace.saying("\(error)")
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT, EPERM:
      BluetoothError.operationNotSupported.saying("No Bluetooth sockets here: \(error)")
    case ENOTCONN: .notConnected
    case ECONNREFUSED: .connectionFailed
    default: BluetoothError.connectionFailed.saying("The connection has failed unexpectedly: \(error)")
    }
  }
}
