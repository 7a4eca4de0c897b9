import BridgeProtocol
import Testing

@testable import BlueZBackend

@Suite struct LinkEndReasonsTests {
  @Test func `handle and reason are read off the event`() {
    let ended = LinkEndReasons.ended([0x04, 0x05, 4, 0, 0x40, 0x20, 0x08])
    #expect(ended?.handle == 0x040 && ended?.reason == 0x08)
  }

  @Test(arguments: [
    [], [0x04, 0x05], [0x04, 0x05, 4, 1, 0, 0, 8], [0x04, 0x0E, 4, 0, 0, 0, 8], [2, 5, 4, 0, 0, 0, 8],
  ])
  func `other packets are no end of a link`(packet: [UInt8]) {
    #expect(LinkEndReasons.ended(packet[...]) == nil)
  }

  @Test func `a supervision timeout is a timeout, an end by the peer is not`() {
    #expect(LinkEndReasons.error(for: 0x08) == .connectionTimeout)
    #expect(LinkEndReasons.error(for: 0x13) == .peripheralDisconnected)
  }
}
