import BridgeIO
import CBluetooth
import Glibc

/// The controller's own command for a link's signal strength.
///
/// - Source: Core Specification Vol 4, Part E, 5.4.1, 7.5.4, 7.7.14, 7.7.15; Linux `net/bluetooth/hci_sock.c`.
enum HCIReadRSSI {
  private static let opcode: UInt16 = 0x1405
  private static let commandComplete: UInt8 = 0x0E
  private static let commandStatus: UInt8 = 0x0F
  private static let leLink: UInt8 = 0x80

  static func command(_ handle: UInt16) -> [UInt8] {
    [UInt8(HCI_COMMAND_PKT), UInt8(opcode & 0xFF), UInt8(opcode >> 8), 2, UInt8(handle & 0xFF), UInt8(handle >> 8)]
  }

  static func answer(_ packet: [UInt8], handle: UInt16) -> RSSIAnswer {
    guard packet.count >= 3, packet[0] == UInt8(HCI_EVENT_PKT) else { return .other }
    switch packet[1] {
    case commandComplete:
      guard packet.count >= 7, number(packet, 4) == opcode else { return .other }
      if packet[6] != 0 { return .refused }
      guard packet.count >= 10, number(packet, 7) & 0x0FFF == handle else { return .other }
      return RSSIAnswer(dBm: packet[9])
    case commandStatus:
      guard packet.count >= 7, number(packet, 5) == opcode, packet[3] != 0 else { return .other }
      return .refused
    default: return .other
    }
  }

  private static func number(_ packet: [UInt8], _ index: Int) -> UInt16 {
    UInt16(packet[index]) | UInt16(packet[index + 1]) << 8
  }

  /// Only the two events that answer a command.
  static func setFilter(_ descriptor: CInt) throws(SystemError) {
    var filter = hci_filter()
    filter.type_mask = 1 << UInt32(HCI_EVENT_PKT)
    filter.event_mask.0 = 1 << UInt32(commandComplete) | 1 << UInt32(commandStatus)
    filter.opcode = opcode.littleEndian
    try BluetoothSocket.setOption(descriptor, CInt(SOL_HCI), CInt(HCI_FILTER), filter)
  }

  /// The connection handle of the LE link to `peer`, nil without one.
  static func handle(of peer: BluetoothAddress, adapterIndex: UInt16, descriptor: CInt) throws(SystemError) -> UInt16? {
    let limit = 64
    // struct hci_conn_list_req: dev_id and conn_num, then conn_num times struct hci_conn_info.
    var list = [UInt16](repeating: 0, count: 2 + limit * MemoryLayout<hci_conn_info>.stride / 2)
    list[0] = adapterIndex
    list[1] = UInt16(limit)
    try check("HCIGETCONNLIST") {
      list.withUnsafeMutableBytes { ioctl(descriptor, bridge_hci_get_connection_list, $0.baseAddress!) }
    }
    return list.withUnsafeBytes {
      handle(
        of: peer, in: UnsafeRawBufferPointer(rebasing: $0[4...]),
        count: Int($0.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  static func handle(of peer: BluetoothAddress, in infos: UnsafeRawBufferPointer, count: Int) -> UInt16? {
    let stride = MemoryLayout<hci_conn_info>.stride
    for index in 0..<min(count, infos.count / stride) {
      let info = infos.loadUnaligned(fromByteOffset: index * stride, as: hci_conn_info.self)
      let bytes = withUnsafeBytes(of: info.bdaddr.b) { Array($0) }
      if info.type == leLink, bytes == peer.kernelBytes { return info.handle }
    }
    return nil
  }
}
