import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

@Suite struct GATTClientServiceChangeTests {
  private typealias Link = LinkFixture
  private static let device = ScriptedGATT.device
  private static let information = ["service0020/char0021", "service0020"]

  private static var timing: GATTClient.Timing {
    var timing = GATTClient.Timing()
    timing.changeQuiet = .milliseconds(300)
    return timing
  }

  @Test @BridgeQueue func `a removed service is told, and fails its calls`() async throws {
    try await Link.run(timing: Self.timing) { link in
      link.read(Link.manufacturer)
      link.read(Link.manufacturer)
      link.read(Link.location)
      _ = try await link.daemon.expect("ReadValue char0021")
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      try await link.settle()
      try await link.daemon.expect("ReadValue char0014").succeed(.bytes([1]))
      let events = await link.events(4)
      #expect(
        events.filter { $0 != .modified([0x20]) } == [
          .failed("read", .attribute(1)), .failed("read", .attribute(1)), .value([1]),
        ])
      #expect(events.count == 4)
    }
  }

  @Test @BridgeQueue func `objects that go with their device are the link's end`() async throws {
    try await Link.run { link in
      link.read(Link.manufacturer)
      _ = try await link.daemon.expect("ReadValue char0021")
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      try await link.settle()
      link.client.end(.peripheralDisconnected)
      #expect(link.events == [.failed("read", .peripheralDisconnected)])
    }
  }

  @Test @BridgeQueue func `an unpaired device that is removed under an old request has refused to pair`() async throws {
    var timing = GATTClient.Timing()
    timing.failedPairing = .zero
    try await Link.run(timing: timing) { link in
      link.read(Link.manufacturer)
      _ = try await link.daemon.expect("ReadValue char0021")
      link.daemon.remove("\(Self.device)/service0020/char0021")
      #expect(await link.events(1) == [.failed("read", .attribute(15))])
    }
  }

  @Test @BridgeQueue func `a new service alone invalidates nothing`() async throws {
    try await Link.run(timing: Self.timing) { link in
      link.daemon.announce("\(Self.device)/service0030", GATTNames.service, ScriptedGATT.service(0x1811))
      #expect(await link.events(1) == [.modified([])])
      let database = try await result { link.client.discoverServices(completion: $0) }.get()
      #expect(database.services.map(\.handle) == [0x10, 0x20, 0x30])
    }
  }

  @Test @BridgeQueue func `discovery waits until a change has settled`() async throws {
    try await Link.run(timing: Self.timing) { link in
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      try await link.settle()
      link.client.discoverServices { result in
        link.events.append(.done("\((try? result.get())?.services.count ?? 0) services"))
      }
      #expect(await link.events(2) == [.modified([0x20]), .done("1 services")])
    }
  }

  @Test @BridgeQueue func `a service in another's place is primary and has no handles until discovered`() async throws {
    try await Link.run(timing: Self.timing) { link in
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      link.daemon.announce(
        "\(Self.device)/service0020", GATTNames.service, ScriptedGATT.service(0x1811, primary: false))
      link.daemon.announce(
        "\(Self.device)/service0020/char0021", GATTNames.characteristic,
        ScriptedGATT.characteristic(0x2A46, ["read"], mtu: 100))
      #expect(await link.events(1) == [.modified([0x20])])
      link.read(Link.manufacturer)
      #expect(await link.events(2).last == .failed("read", .attribute(1)))
      let database = try await result { link.client.discoverServices(completion: $0) }.get()
      #expect(database.services.last?.uuid == BluetoothUUID(short: 0x1811))
      #expect(database.services.last?.isPrimary == true)
      link.read(Link.manufacturer)
      try await link.daemon.expect("ReadValue char0021").succeed(.bytes([4]))
      #expect(await link.events(3).last == .value([4]))
    }
  }

  @Test @BridgeQueue func `a subscription on a service that stays goes on`() async throws {
    try await Link.run(timing: Self.timing) { link in
      try await link.subscribe()
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      #expect(await link.events(1) == [.modified([0x20])])
      link.daemon.announceValue("service0010/char0011", [5])
      #expect(await link.events(2).last == .notified([5], 0x11))
    }
  }

  @Test @BridgeQueue func `objects that come and go outside the GATT tree are no change`() async throws {
    try await Link.run(timing: Self.timing) { link in
      link.client.objectsChanged(added: ["\(Self.device)/player0"], removed: ["\(Self.device)/sep1"])
      #expect(link.client.change == nil)
    }
  }

  @Test @BridgeQueue func `the end of the link ends a change unfinished`() async throws {
    var timing = GATTClient.Timing()
    timing.changeQuiet = .seconds(60)
    try await Link.run(timing: timing) { link in
      for path in Self.information { link.daemon.remove("\(Self.device)/\(path)") }
      try await link.settle()
      link.client.discoverServices { result in
        if case .failure(let error) = result { link.events.append(.failed("discover", error)) }
      }
      link.client.end(.peripheralDisconnected)
      #expect(link.events == [.failed("discover", .peripheralDisconnected)])
    }
  }
}
