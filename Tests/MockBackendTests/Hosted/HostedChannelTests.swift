import BridgeIO
import BridgeProtocol
import MockBackend
import TestSupport
import Testing

/// L2CAP channels between clients.
@Suite struct HostedChannelTests {
  @BridgeQueue
  private struct Ends {
    let fixture: HostingFixture
    let host: LineClient
    let central: LineClient
    let hostID: String
    let centralID: String
    let psm: UInt16

    init(encryption: Bool = false, options: VirtualHostedWorld.Options = .init()) async throws {
      fixture = try HostingFixture(options)
      host = try await fixture.host()
      host.request(.publishL2CAP(PublishL2CAP(encryptionRequired: encryption)))
      guard case .didPublishL2CAP(let published) = try await host.event("didPublishL2CAP") else { throw Unexpected() }
      psm = published.psm
      let id: PeripheralIdentifier
      (central, id) = try await fixture.central(pid: 2)
      central.send(.openL2CAP(OpenL2CAP(id: id, psm: psm)))
      guard case .didOpenL2CAP(let opened) = try await central.next("didOpenL2CAP"), opened.error == nil,
        case .didAcceptL2CAP(let accepted) = try await host.event("didAcceptL2CAP"), accepted.psm == psm
      else { throw Unexpected() }
      centralID = opened.channelId
      hostID = accepted.channelId
    }
  }

  @BridgeQueue
  private func bytes(_ count: Int, on client: LineClient) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard case .l2capData(let data) = try await client.next("l2capData") else { throw Unexpected() }
      bytes += data.value
    }
    return bytes
  }

  @Test @BridgeQueue func `L2CAP-11 PSMs are given out from 192 on`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    var psms: [UInt16] = []
    for _ in 0..<129 {
      host.request(.publishL2CAP(PublishL2CAP(encryptionRequired: false)))
      guard case .didPublishL2CAP(let reply) = try await host.event("didPublishL2CAP") else { throw Unexpected() }
      if reply.error == nil { psms.append(reply.psm) }
    }
    #expect(Array(psms.prefix(3)) == [192, 193, 194])
    #expect(Set(psms) == Set(0x80...0xFF))
  }

  @Test @BridgeQueue func `L2CAP-14 bytes go both ways`() async throws {
    let ends = try await Ends()
    ends.central.send(.l2capWrite(L2CAPWrite(channelId: ends.centralID, value: [1, 2, 3])))
    #expect(try await bytes(3, on: ends.host) == [1, 2, 3])
    ends.host.send(.l2capWrite(L2CAPWrite(channelId: ends.hostID, value: [4, 5])))
    #expect(try await bytes(2, on: ends.central) == [4, 5])
    ends.host.send(.l2capClose(L2CAPClose(channelId: ends.hostID)))
    _ = try await ends.central.next("l2capClosed")
  }

  @Test @BridgeQueue func `L2CAP-13 an unpublished PSM refuses and closes`() async throws {
    let ends = try await Ends()
    ends.host.request(.unpublishL2CAP(UnpublishL2CAP(psm: ends.psm)))
    _ = try await ends.host.next("l2capClosed")
    guard case .didUnpublishL2CAP(let reply) = try await ends.host.event("didUnpublishL2CAP") else {
      throw Unexpected()
    }
    #expect(reply.error == nil)
    _ = try await ends.central.next("l2capClosed")
    guard let id = PeripheralIdentifier(ownerOf: ends.centralID) else { throw Unexpected() }
    ends.central.send(.openL2CAP(OpenL2CAP(id: id, psm: ends.psm)))
    guard case .didOpenL2CAP(let refused) = try await ends.central.next("didOpenL2CAP") else { throw Unexpected() }
    #expect(refused.error != nil)
    ends.host.request(.unpublishL2CAP(UnpublishL2CAP(psm: ends.psm)))
    guard case .didUnpublishL2CAP(let unknown) = try await ends.host.event("didUnpublishL2CAP") else {
      throw Unexpected()
    }
    #expect(unknown.error != nil)
  }

  @Test @BridgeQueue func `L2CAP-14 encryption is made where it is asked for, or the channel refused`() async throws {
    _ = try await Ends(encryption: true)
    var options = VirtualHostedWorld.Options()
    options.pairing = VirtualPairing(mode: .none)
    await #expect(throws: Unexpected.self) { _ = try await Ends(encryption: true, options: options) }
  }

  @Test @BridgeQueue func `a reader that asks for a pause gets no more than is on its way`() async throws {
    let ends = try await Ends()
    ends.central.send(.l2capPause(L2CAPPause(channelId: ends.centralID, paused: true)))
    // An answer to the host comes behind the pause.
    ends.central.send(.l2capWrite(L2CAPWrite(channelId: ends.centralID, value: [0])))
    _ = try await bytes(1, on: ends.host)
    ends.host.send(.l2capWrite(L2CAPWrite(channelId: ends.hostID, value: [7, 8])))
    ends.host.request(.hostPeripheral(HostPeripheral()))
    _ = try await ends.host.event("hostingState")
    #expect(ends.central.pendingLines == 0)
    ends.central.send(.l2capPause(L2CAPPause(channelId: ends.centralID, paused: false)))
    #expect(try await bytes(2, on: ends.central) == [7, 8])
  }

  @Test @BridgeQueue func `a host that dies closes the channel`() async throws {
    let ends = try await Ends()
    ends.host.close()
    _ = try await ends.central.next("l2capClosed")
  }
}
