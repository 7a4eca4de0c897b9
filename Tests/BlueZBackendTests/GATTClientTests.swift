import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

@Suite struct GATTClientTests {
  private typealias Link = LinkFixture

  @Test @BridgeQueue func `services are told once they are resolved`() async throws {
    try await Link.run(discovered: false) { link in
      var database: GATTDatabase?
      link.client.discoverServices { database = try? $0.get() }
      await turns()
      #expect(database == nil)
      link.client.servicesResolved()
      #expect(database?.services.map(\.handle) == [0x10, 0x20])
    }
  }

  @Test @BridgeQueue func `handles mean nothing before services are discovered`() async throws {
    try await Link.run(discovered: false) { link in
      link.client.servicesResolved()
      link.read(Link.location)
      #expect(await link.events(1) == [.failed("read", .attribute(1))])
    }
  }

  // MARK: Reading and writing

  @Test @BridgeQueue func `a value is read from a characteristic or descriptor`() async throws {
    try await Link.run { link in
      link.read(Link.location)
      link.read(Link.configuration)
      let call = try await link.daemon.expect("ReadValue char0014")
      #expect(call.message.interface == GATTNames.characteristic && call.message.arguments == [.properties([:])])
      call.succeed(.bytes([1, 2]))
      let second = try await link.daemon.expect("ReadValue desc0013")
      #expect(second.message.interface == GATTNames.descriptor)
      second.succeed(.bytes([]))
      #expect(await link.events(2) == [.value([1, 2]), .value([])])
    }
  }

  @Test @BridgeQueue func `requests go out one at a time and complete in order, refusals too`() async throws {
    try await Link.run { link in
      link.read(Link.location)
      link.read(0x99)
      link.write([7], to: Link.location)
      let read = try await link.daemon.expect("ReadValue char0014")
      try await link.settle()
      #expect(link.daemon.calls.isEmpty && link.events.isEmpty)
      read.succeed(.bytes([5]))
      let write = try await link.daemon.expect("WriteValue char0014")
      #expect(write.message.arguments == [.bytes([7]), .properties(["type": .string("request")])])
      write.fail("NotPermitted", "Write not permitted")
      #expect(
        await link.events(3) == [
          .value([5]), .failed("read", .attribute(1)), .failed("write", .attribute(3)),
        ])
    }
  }

  @Test @BridgeQueue func `completions never come inside the call`() async throws {
    try await Link.run { link in
      link.read(0x99)
      link.write([UInt8](repeating: 0, count: 513), to: Link.location)
      link.setNotify(true, Link.location)
      #expect(link.events.isEmpty)
      #expect(
        await link.events(3) == [
          .failed("read", .attribute(1)), .failed("write", .attribute(13)), .failed("subscribe", .attribute(6)),
        ])
      #expect(link.daemon.log.isEmpty)
    }
  }

  @Test @BridgeQueue func `the longest and the shortest value are written, configuration descriptors are not`()
    async throws
  {
    try await Link.run { link in
      link.daemon.answers = { call in
        call.succeed()
        return true
      }
      link.write([UInt8](repeating: 1, count: 512), to: Link.location, "long")
      link.write([], to: Link.location, "empty")
      link.write([1, 0], to: Link.configuration, "configuration")
      #expect(
        await link.events(3) == [.done("long"), .done("empty"), .failed("configuration", .attribute(3))])
    }
  }

  @Test @BridgeQueue func `calls that resemble the one before carry their own value, length and type`() async throws {
    try await Link.run { link in
      var seen: [[Value]] = []
      link.daemon.answers = { call in
        seen.append(call.message.arguments)
        if call.message.wantsReply { call.succeed(.bytes([9])) }
        return true
      }
      let values: [[UInt8]] = [[1], [2], [3, 3], [], [4], [5]]
      for (index, value) in values.enumerated() {
        link.write(value, to: Link.location, "\(index)")
        if index % 2 == 1 { link.command(value, to: Link.location, "\(index) command") }
        link.read(Link.location)
      }
      let events = await link.events(15)
      #expect(events.count { $0 == .value([9]) } == 6)
      let expected = values.enumerated().flatMap { index, value -> [[Value]] in
        let types = index % 2 == 1 ? ["request", "command"] : ["request"]
        return types.map { [.bytes(value), .properties(["type": .string($0)])] } + [[.properties([:])]]
      }
      #expect(seen == expected)
    }
  }

  @Test @BridgeQueue func `a busy bluetoothd is asked again and nobody hears of it`() async throws {
    try await Link.run { link in
      link.read(Link.location)
      for _ in 0..<3 { try await link.daemon.expect("ReadValue char0014").fail("InProgress", "In Progress") }
      try await link.daemon.expect("ReadValue char0014").succeed(.bytes([8]))
      #expect(await link.events(1) == [.value([8])])
    }
  }

  @Test @BridgeQueue func `what waits is bounded by its bytes`() async throws {
    try await Link.run { link in
      link.read(Link.location)
      let value = [UInt8](repeating: 0, count: 512)
      for _ in 0..<12_000 { link.write(value, to: Link.location) }
      await turns()
      #expect(!link.events.isEmpty)
      #expect(link.events.allSatisfy { $0 == .failed("write", .outOfSpace) })
      #expect((8 << 20) / 768 + link.events.count == 12_000)
    }
  }

  // MARK: Writing without response

  @Test @BridgeQueue func `commands do not wait for replies, a request behind them neither`() async throws {
    try await Link.run { link in
      link.command([1], to: Link.location, "1")
      link.command([2], to: Link.location, "2")
      link.write([3], to: Link.location, "3")
      link.command([4], to: Link.location, "4")
      let first = try await link.daemon.expect("WriteValue char0014")
      #expect(first.message.arguments == [.bytes([1]), .properties(["type": .string("command")])])
      let second = try await link.daemon.expect("WriteValue char0014")
      let third = try await link.daemon.expect("WriteValue char0014")
      try await link.settle()
      #expect(link.daemon.calls.isEmpty)
      third.succeed()
      try await link.daemon.expect("WriteValue char0014").succeed()
      second.succeed()
      #expect(await link.events(4) == [.done("3"), .done("1"), .done("4"), .done("2")])
    }
  }

  @Test @BridgeQueue func `of eight commands in a row one is replied to, and speaks for those before it`() async throws
  {
    try await Link.run { link in
      for index in 0..<10 { link.command([UInt8(index)], to: Link.location, "\(index)") }
      var calls: [ScriptedGATT.Call] = []
      for _ in 0..<10 { calls.append(try await link.daemon.expect("WriteValue char0014")) }
      #expect(calls.map(\.message.wantsReply) == (0..<10).map { $0 == 7 || $0 == 9 })
      calls[7].succeed()
      #expect(await link.events(8) == (0..<8).map { .done("\($0)") })
      calls[9].succeed()
      #expect(await link.events(10) == (0..<10).map { .done("\($0)") })
    }
  }

  @Test @BridgeQueue func `a sender is told to pause at sixteen, and once to go on`() async throws {
    try await Link.run { link in
      for index in 0..<16 {
        #expect(link.client.canSendWriteWithoutResponse)
        link.command([UInt8(index)], to: Link.location)
      }
      #expect(!link.client.canSendWriteWithoutResponse)
      link.command([16], to: Link.location)
      for _ in 0..<17 {
        let call = try await link.daemon.expect("WriteValue char0014")
        if call.message.wantsReply { call.succeed() }
      }
      let events = await link.events(18)
      #expect(events.count { $0 == .ready } == 1)
      #expect(events.count { $0 == .done("command") } == 17)
      #expect(link.client.canSendWriteWithoutResponse)
    }
  }

  @Test @BridgeQueue func `a characteristic that does not take commands gets none`() async throws {
    try await Link.run { link in
      link.command([1], to: Link.manufacturer)
      #expect(await link.events(1) == [.failed("command", .attribute(3))])
      #expect(link.daemon.log.isEmpty)
    }
  }

  @Test @BridgeQueue func `a command too long for a packet is written with response`() async throws {
    try await Link.run(mtu: 50) { link in
      #expect(link.client.maximumWriteLength == 47)
      #expect(link.writeLengths == [47])
      link.command([UInt8](repeating: 0, count: 48), to: Link.location)
      let call = try await link.daemon.expect("WriteValue char0014")
      #expect(call.message.arguments.last == .properties(["type": .string("request")]))
      call.succeed()
      #expect(await link.events(1) == [.done("command")])
    }
  }

  @Test @BridgeQueue func `without a known MTU the command is tried, and then written with response`() async throws {
    try await Link.run(mtu: nil) { link in
      #expect(link.client.maximumWriteLength == 20)
      link.command([UInt8](repeating: 0, count: 100), to: Link.location)
      try await link.daemon.expect("WriteValue char0014").fail("Failed", "Failed to initiate write")
      let call = try await link.daemon.expect("WriteValue char0014")
      #expect(call.message.arguments.last == .properties(["type": .string("request")]))
      call.succeed()
      #expect(await link.events(1) == [.done("command")])
    }
  }

  @Test @BridgeQueue func `the MTU grows with the exchange, and a value is never longer than 512`() async throws {
    try await Link.run(mtu: 23) { link in
      #expect(link.client.maximumWriteLength == 20)
      let path = ScriptedGATT.device + "/service0010/char0011"
      link.daemon.change(path, GATTNames.characteristic, ["MTU": .uint16(517)])
      try await link.settle()
      #expect(link.client.maximumWriteLength == 512)
      #expect(link.writeLengths == [512])
    }
  }

  // MARK: The link's end

  @Test @BridgeQueue func `the end fails what is pending, in order`() async throws {
    try await Link.run { link in
      link.command([1], to: Link.location)
      link.read(Link.location)
      link.write([2], to: Link.location)
      link.setNotify(true, Link.measurement)
      link.client.discoverServices { _ in link.events.append(.done("discover")) }
      await turns()
      _ = try await link.daemon.expect("WriteValue char0014")
      link.client.end(.peripheralDisconnected)
      #expect(
        link.events == [
          .done("discover"), .failed("command", .peripheralDisconnected), .failed("read", .peripheralDisconnected),
          .failed("write", .peripheralDisconnected), .failed("subscribe", .peripheralDisconnected),
        ])
      link.read(Link.location)
      #expect(await link.events(6).last == .failed("read", .peripheralDisconnected))
      #expect(!link.client.canSendWriteWithoutResponse)
    }
  }

  @Test(arguments: [
    ("Failed", "Operation failed with ATT error: 0x0e"), ("Failed", "Not connected"), ("NotConnected", ""),
  ])
  @BridgeQueue func `errors that come with the link's end are told as that`(name: String, text: String) async throws {
    try await Link.run { link in
      link.read(Link.location)
      try await link.daemon.expect("ReadValue char0014").fail(name, text)
      try await link.settle()
      #expect(link.events.isEmpty)
      link.client.end(.peripheralDisconnected)
      #expect(link.events == [.failed("read", .peripheralDisconnected)])
    }
  }

  @Test @BridgeQueue func `an unlikely error on a link that stays is told`() async throws {
    try await Link.run { link in
      link.read(Link.location)
      try await link.daemon.expect("ReadValue char0014").fail("Failed", "Operation failed with ATT error: 0x0e")
      #expect(await link.events(1) == [.failed("read", .attribute(14))])
    }
  }

  @Test @BridgeQueue func `an unpaired device that never answers has refused to be secured`() async throws {
    var timing = GATTClient.Timing()
    timing.requestWithPairing = .milliseconds(50)
    try await Link.run(timing: timing) { link in
      link.read(Link.location)
      link.read(Link.manufacturer)
      #expect(await link.events(2) == [.failed("read", .attribute(15)), .stuck])
      link.client.end(.peripheralDisconnected)
      #expect(link.events.last == .failed("read", .peripheralDisconnected))
      try await link.settle()
      #expect(link.daemon.log == ["ReadValue char0014"])
    }
  }

  @Test @BridgeQueue func `a paired device that never answers ends with the link`() async throws {
    var timing = GATTClient.Timing()
    timing.request = .milliseconds(50)
    try await Link.run(timing: timing, paired: true) { link in
      link.read(Link.location)
      #expect(await link.events(1) == [.stuck])
      link.client.end(.peripheralDisconnected)
      #expect(link.events == [.stuck, .failed("read", .peripheralDisconnected)])
    }
  }
}
