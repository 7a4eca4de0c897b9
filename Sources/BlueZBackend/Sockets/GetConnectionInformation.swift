/// The management channel's command for a link's signal strength.
///
/// - Source: BlueZ `doc/mgmt-api.txt`, Get Connection Information Command.
enum GetConnectionInformation {
  private static let opcode: UInt16 = 0x0031
  private static let commandComplete: UInt16 = 0x0001
  private static let commandStatus: UInt16 = 0x0002

  static func command(_ adapterIndex: UInt16, _ peer: BluetoothAddress) -> [UInt8] {
    words(opcode, adapterIndex, 7) + peer.kernelBytes + [peer.kind.rawValue]
  }

  static func answer(_ packet: [UInt8], adapterIndex: UInt16, peer: BluetoothAddress) -> RSSIAnswer {
    guard packet.count >= 9, word(packet, 2) == adapterIndex, word(packet, 6) == opcode else { return .other }
    switch word(packet, 0) {
    case commandComplete:
      let address = packet.dropFirst(9).prefix(7)
      guard packet[8] == 0 else { return .refused }
      guard packet.count >= 17, Array(address) == peer.kernelBytes + [peer.kind.rawValue] else { return .other }
      return RSSIAnswer(dBm: packet[16])
    case commandStatus: return .refused
    default: return .other
    }
  }

  private static func words(_ words: UInt16...) -> [UInt8] {
    words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private static func word(_ packet: [UInt8], _ index: Int) -> UInt16 {
    UInt16(packet[index]) | UInt16(packet[index + 1]) << 8
  }
}
