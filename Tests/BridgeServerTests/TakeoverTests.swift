import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import TestSupport
import Testing

/// Policy `takeover`: the last client wins.
@Suite @BridgeQueue struct TakeoverTests {
  private let long = Duration.seconds(60)

  @Test func theNewcomersFirstMessageEvictsTheOldClient() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = long }
    let old = try await service.connectedClient()
    let new = try service.client()
    new.hello("example.second", pid: 5120)
    let line = try JSONValue(json: try #require(await old.nextLine()))
    #expect(line["type"] == .string("connectionRejected"))
    #expect(line["code"] == .string("clientBusy"))
    #expect(line["retry"] == .bool(false))
    #expect(line["activeClient"]?["pid"] == .integer(Int(getpid())))
    #expect(line["message"]?.stringValue?.hasPrefix("superseded by a newer client (pid=\(getpid()), process=") == true)
    #expect(await old.closes())
    #expect(service.radio.commands.contains(.disconnect(.meter)))
    // Nothing of the old one's world reaches the new one.
    service.radio.advertise(.beacon, AdvertisementData())
    await turns(5)
    #expect(new.pendingLines == 0)
    new.send(.readRSSI(ReadRSSI(id: .meter)))
    guard case .didReadRSSI(let reply)? = try await new.next() else { return unexpected() }
    #expect(reply.error?.text == "Not connected")
    await service.stop()
  }

  @Test func aBareConnectionEvictsNobody() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = .seconds(2) }
    let old = try await service.connectedClient()
    for line in [nil, "garbage"] {
      let probe = try service.client()
      if let line { probe.send(line) }
      await turns(5)
      probe.close()
    }
    #expect(try await old.next(within: .milliseconds(2300)) == nil)
    #expect(!old.isClosed)
    await service.stop()
  }

  @Test func aSilentNewcomerThatStaysTakesOver() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = .milliseconds(20) }
    let old = try await service.connectedClient()
    let silent = try service.client()
    #expect(try await old.next()?.type == "connectionRejected")
    #expect(await old.closes())
    #expect(!silent.isClosed)
    await service.stop()
  }

  @Test func anOldClientThatWasEvictedAndComesBackIsRefused() async throws {
    // Both are this process to the socket; the one evicted said no hello.
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = long }
    let old = try service.client()
    old.send(.scan(Scan()))
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: false))) })
    let new = try service.client()
    new.hello()
    #expect(await old.closes())
    let back = try service.client()
    back.send(.scan(Scan()))
    #expect(await back.closes())
    #expect(!new.isClosed)
    await service.stop()
  }

  @Test func anAppsSecondConnectionEvictedItsFirst() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = long }
    let features: Features = [.state]
    let first = try service.client()
    first.hello(features: features)
    let second = try service.client()
    second.hello(features: features)
    #expect(try await first.next()?.type == "welcome")
    #expect(try await second.next()?.type == "welcome")
    // Another process of the app takes the place of both.
    let other = try service.client()
    other.hello(pid: 4712, features: features)
    #expect(await first.closes())
    #expect(await second.closes())
    #expect(try await other.next()?.type == "welcome")
    await service.stop()
  }

  @Test func aSecondConnectionOfAnAppThatKnowsNoFeaturesTakesThePlaceOfTheFirst() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = long }
    let old = try await service.connectedClient()
    let new = try service.client()
    new.hello()
    #expect(await old.closes())
    #expect(!new.isClosed)
    await service.stop()
  }

  @Test func whoOnlyWatchesTheServiceIsNoClient() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = .milliseconds(10) }
    let app = try await service.connectedClient()
    let watcher = try service.controlClient()
    watcher.hello("bridge", features: .control)
    #expect(try await watcher.messagesUntilStatus().map(\.type) == ["welcome"])
    #expect(try await app.next(within: .milliseconds(50)) == nil)
    let next = try service.client()
    next.hello()
    #expect(await app.closes())
    _ = try await watcher.messagesUntilStatus()
    #expect(!watcher.isClosed)
    await service.stop()
  }

  @Test func theOldClientsDeviceIsConnectedAnewForTheNewOne() async throws {
    let service = try ServiceFixture(.takeover) { $0.limits.takeoverGrace = long }
    let old = try await service.connectedClient()
    let new = try service.client()
    new.hello()
    new.send(.connect(Connect(id: .meter)))
    #expect(try await new.next()?.type == "didConnect")
    #expect(
      service.radio.commands.filter { $0 == .connect(.meter) || $0 == .disconnect(.meter) }
        == [.connect(.meter), .disconnect(.meter), .connect(.meter)])
    #expect(await old.closes())
    await service.stop()
  }
}
