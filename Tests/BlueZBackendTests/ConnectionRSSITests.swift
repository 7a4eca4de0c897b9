import BridgeIO
import BridgeProtocol
import CBluetooth
import Testing

@testable import BlueZBackend

@Suite struct ConnectionRSSITests {
  private let peer = BluetoothAddress(value: 0xC0C1_C2C3_C4C5, kind: .leRandom)

  // MARK: HCI

  @Test func `Read RSSI names the connection handle`() {
    #expect(HCIReadRSSI.command(0x0041) == [0x01, 0x05, 0x14, 0x02, 0x41, 0x00])
  }

  @Test func `the controller's answer is a signed number`() {
    #expect(HCIReadRSSI.answer([4, 0x0E, 7, 1, 0x05, 0x14, 0, 0x41, 0x00, 0xC8], handle: 0x41) == .value(-56))
    #expect(HCIReadRSSI.answer([4, 0x0E, 7, 1, 0x05, 0x14, 0, 0x41, 0x00, 127], handle: 0x41) == .refused)
  }

  @Test func `a refusal comes in either event`() {
    #expect(HCIReadRSSI.answer([4, 0x0E, 4, 1, 0x05, 0x14, 0x02], handle: 0x41) == .refused)
    #expect(HCIReadRSSI.answer([4, 0x0F, 4, 0x01, 1, 0x05, 0x14], handle: 0x41) == .refused)
  }

  @Test(
    arguments: [
      [], [4], [4, 0x0E, 7, 1, 0x05, 0x14], [4, 0x0E, 7, 1, 0x03, 0x0C, 0, 0x41, 0x00, 1],
      [4, 0x0E, 7, 1, 0x05, 0x14, 0, 0x42, 0x00, 0xC8], [4, 0x0E, 5, 1, 0x05, 0x14, 0, 0x41], [4, 0x3E, 1, 1],
      [4, 0x0F, 4, 0x00, 1, 0x05, 0x14], [2, 0x0E, 7, 1, 0x05, 0x14, 0, 0x41, 0x00, 0xC8],
    ] as [[UInt8]])
  func `packets about something else, and short ones, are passed over`(packet: [UInt8]) {
    #expect(HCIReadRSSI.answer(packet, handle: 0x41) == .other)
  }

  @Test func `the handle is found among the links by address and LE type`() {
    func info(_ handle: UInt16, _ address: UInt64, _ type: UInt8) -> hci_conn_info {
      let bytes = BluetoothAddress(value: address, kind: .lePublic).kernelBytes
      var info = hci_conn_info()
      info.handle = handle
      info.bdaddr = bdaddr_t(b: (bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]))
      info.type = type
      return info
    }
    let infos = [info(1, 0xC0C1_C2C3_C4C5, 0x01), info(2, 0xAABB_CCDD_EEFF, 0x80), info(3, 0xC0C1_C2C3_C4C5, 0x80)]
    infos.withUnsafeBytes { bytes in
      #expect(HCIReadRSSI.handle(of: peer, in: bytes, count: 3) == 3)
      #expect(HCIReadRSSI.handle(of: peer, in: bytes, count: 2) == nil)
      #expect(HCIReadRSSI.handle(of: peer, in: bytes, count: 1000) == 3)
    }
  }

  // MARK: Management channel

  @Test func `Get Connection Information names adapter and peer`() {
    #expect(
      GetConnectionInformation.command(1, peer)
        == [0x31, 0x00, 0x01, 0x00, 0x07, 0x00, 0xC5, 0xC4, 0xC3, 0xC2, 0xC1, 0xC0, 0x02])
  }

  @Test func `the kernel's answers`() {
    func answer(_ packet: [UInt8]) -> RSSIAnswer {
      GetConnectionInformation.answer(packet, adapterIndex: 1, peer: peer)
    }
    let head: [UInt8] = [0x01, 0x00, 0x01, 0x00, 0x0D, 0x00, 0x31, 0x00]
    let address: [UInt8] = [0xC5, 0xC4, 0xC3, 0xC2, 0xC1, 0xC0, 0x02]
    #expect(answer(head + [0] + address + [0xBA, 0, 0]) == .value(-70))
    #expect(answer(head + [0] + address + [127, 127, 127]) == .refused)
    #expect(answer(head + [0x0D] + address + [0xBA, 0, 0]) == .refused)
    #expect(answer([0x02, 0x00, 0x01, 0x00, 0x03, 0x00, 0x31, 0x00, 0x14]) == .refused)
    #expect(answer(head + [0] + address) == .other)
    #expect(answer([0x01, 0x00, 0x00, 0x00, 0x03, 0x00, 0x31, 0x00, 0x00]) == .other)
    #expect(answer([]) == .other)
  }
}
