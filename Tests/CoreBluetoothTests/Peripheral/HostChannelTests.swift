import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// L2CAP channels that centrals open to the app.
@Suite struct HostChannelTests {
  @BridgeQueue
  private func published(_ fixture: HostFixture, encrypted: Bool = false) async throws -> CBL2CAPPSM {
    fixture.manager.publishL2CAPChannel(withEncryption: encrypted)
    let event = try await fixture.recorder.next(.didPublishChannel)
    try #require(event.error == nil)
    return event.psm
  }

  @BridgeQueue
  private func open(_ central: HostCentral, _ psm: CBL2CAPPSM) async throws -> DidOpenL2CAP {
    central.client.send(.openL2CAP(OpenL2CAP(id: central.id, psm: psm)))
    guard case .didOpenL2CAP(let reply) = try await central.client.next("didOpenL2CAP") else {
      throw NothingHappened()
    }
    return reply
  }

  @BridgeQueue
  private func bytes(_ count: Int, _ central: HostCentral) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard case .l2capData(let data) = try await central.client.next("l2capData") else { throw NothingHappened() }
      bytes += data.value
    }
    return bytes
  }

  @Test @BridgeQueue func `L2CAP-11 the system picks dynamic PSMs`() async throws {
    let fixture = try await HostFixture.on()
    var psms: [CBL2CAPPSM] = []
    for _ in 0..<3 { psms.append(try await published(fixture)) }
    #expect(psms == [192, 193, 194])
  }

  @Test @BridgeQueue func `L2CAP-9 L2CAP-14 a central's channel comes to the app, and carries bytes both ways`()
    async throws
  {
    let fixture = try await HostFixture.publishing([])
    let psm = try await published(fixture)
    let central = try await fixture.central()
    let opened = try await open(central, psm)
    let event = try await fixture.recorder.next(.didOpenChannel)
    let channel = try #require(event.channel)
    #expect(channel.psm == psm && channel.peer is CBCentral && event.error == nil)
    channel.inputStream.open()
    channel.outputStream.open()
    #expect(channel.outputStream.write([1, 2, 3], maxLength: 3) == 3)
    #expect(try await bytes(3, central) == [1, 2, 3])
    central.client.send(.l2capWrite(L2CAPWrite(channelId: opened.channelId, value: [4, 5])))
    nonisolated(unsafe) let input = channel.inputStream!
    let received: [UInt8]? = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: input.readBytes()) }
    }
    #expect(received == [4, 5])
    channel.inputStream.close()
    channel.outputStream.close()
    _ = try await central.client.next("l2capClosed")
  }

  @Test @BridgeQueue func `L2CAP-13 an unpublished PSM closes its channels and refuses others`() async throws {
    let fixture = try await HostFixture.publishing([])
    let psm = try await published(fixture)
    let central = try await fixture.central()
    _ = try await open(central, psm)
    let channel = try #require(try await fixture.recorder.next(.didOpenChannel).channel)
    channel.inputStream.open()
    fixture.manager.unpublishL2CAPChannel(psm)
    let event = try await fixture.recorder.next(.didUnpublishChannel)
    #expect(event.psm == psm && event.error == nil)
    #expect(channel.inputStream.streamStatus == .atEnd)
    #expect(try await open(central, psm).error != nil)
    fixture.manager.unpublishL2CAPChannel(psm)
    #expect(try await fixture.recorder.next(.didUnpublishChannel).error != nil)
  }

  @Test @BridgeQueue func `L2CAP-14 encryption is needed where the app says so`() async throws {
    var options = VirtualHostedWorld.Options()
    options.pairing.mode = .none
    let fixture = try await HostFixture.publishing([], options)
    let psm = try await published(fixture, encrypted: true)
    #expect(try await open(fixture.central(), psm).error != nil)
    let paired = try await HostFixture.publishing([])
    let other = try await published(paired, encrypted: true)
    #expect(try await open(paired.central(), other).error == nil)
  }

  @Test @BridgeQueue func `L2CAP-15 channels need neither services nor advertising`() async throws {
    let fixture = try await HostFixture.publishing([])
    let central = try await fixture.central()
    fixture.manager.stopAdvertising()
    let psm = try await published(fixture)
    #expect(try await open(central, psm).error == nil)
  }

  @Test @BridgeQueue func `L2CAP-6 a central that goes ends the app's streams`() async throws {
    let fixture = try await HostFixture.publishing([])
    let psm = try await published(fixture)
    let central = try await fixture.central()
    _ = try await open(central, psm)
    let channel = try #require(try await fixture.recorder.next(.didOpenChannel).channel)
    nonisolated(unsafe) let input = channel.inputStream!
    input.open()
    central.client.close()
    let end: [UInt8]? = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: input.readBytes()) }
    }
    #expect(end == [] && input.streamStatus == .atEnd)
  }

  @Test @BridgeQueue func `L2CAP-8 a central that does not read holds the app back`() async throws {
    let fixture = try await HostFixture.publishing([])
    let psm = try await published(fixture)
    let central = try await fixture.central()
    let opened = try await open(central, psm)
    let channel = try #require(try await fixture.recorder.next(.didOpenChannel).channel)
    channel.outputStream.open()
    central.client.send(.l2capPause(L2CAPPause(channelId: opened.channelId, paused: true)))
    nonisolated(unsafe) let output = channel.outputStream!
    let total = 4 << 20
    let writer = Task.detached {
      let chunk = [UInt8](repeating: 7, count: 1 << 16)
      var written = 0
      while written < total { written += output.write(chunk, maxLength: min(chunk.count, total - written)) }
      return written
    }
    central.client.send(.l2capPause(L2CAPPause(channelId: opened.channelId, paused: false)))
    #expect(try await bytes(total, central).count == total)
    #expect(await writer.value == total)
  }
}
