import BridgeIO
import CBluetooth
import Glibc

/// The kernel's Bluetooth sockets: the calls and structures that L2CAP and HCI need, and nothing else.
///
/// All of it exists in the initial network namespace only; elsewhere `socket` fails with EAFNOSUPPORT.
///
/// - Source: Linux `net/bluetooth/l2cap_sock.c`, `hci_sock.c`; BlueZ `lib/bluetooth.h`, `lib/l2cap.h`, `lib/hci.h`.
enum BluetoothSocket {
  /// Non-blocking, not inherited.
  static func make(_ type: __socket_type, _ socketProtocol: CInt) throws(SystemError) -> FileDescriptor {
    let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return FileDescriptor(
      owning: try check("socket") { socket(AF_BLUETOOTH, CInt(type.rawValue | flags), socketProtocol) })
  }

  // MARK: L2CAP

  static func bind(_ descriptor: CInt, to address: BluetoothAddress, psm: UInt16 = 0) throws(SystemError) {
    var address = l2capAddress(address, psm: psm)
    try check("bind") {
      withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    }
  }

  /// EINPROGRESS is thrown too: the outcome is in SO_ERROR once the socket is writable.
  static func connect(_ descriptor: CInt, to address: BluetoothAddress, psm: UInt16) throws(SystemError) {
    var address = l2capAddress(address, psm: psm)
    try check("connect") {
      withSocketAddress(&address) { Glibc.connect(descriptor, $0, $1) }
    }
  }

  private static func l2capAddress(_ address: BluetoothAddress, psm: UInt16) -> sockaddr_l2 {
    var result = sockaddr_l2()
    result.l2_family = sa_family_t(AF_BLUETOOTH)
    result.l2_psm = psm.littleEndian
    result.l2_bdaddr = bdaddr_t(
      b: (
        address.octet(0), address.octet(1), address.octet(2), address.octet(3), address.octet(4), address.octet(5)
      ))
    result.l2_bdaddr_type = address.kind.rawValue
    return result
  }

  // MARK: HCI

  static func bindHCI(_ descriptor: CInt, device: UInt16, channel: CInt) throws(SystemError) {
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = device
    address.hci_channel = UInt16(channel)
    try check("bind") {
      withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    }
  }

  // MARK: Options

  static func setOption<Value: BitwiseCopyable>(
    _ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: Value
  ) throws(SystemError) {
    var value = value
    try check("setsockopt") {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
  }

  static func option<Value: BitwiseCopyable>(
    _ descriptor: CInt, _ level: CInt, _ option: CInt, _ initial: Value
  ) throws(SystemError) -> Value {
    var value = initial
    var length = socklen_t(MemoryLayout<Value>.size)
    try check("getsockopt") { getsockopt(descriptor, level, option, &value, &length) }
    return value
  }

  private static func withSocketAddress<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    let length = socklen_t(MemoryLayout<Address>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
