import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

@Suite struct GATTClientNotificationTests {
  private typealias Link = LinkFixture
  private static let measurement = "service0010/char0011"

  @Test @BridgeQueue func `values are delivered after the state, and none before it`() async throws {
    try await Link.run { link in
      link.setNotify(true, Link.measurement)
      let call = try await link.daemon.expect("StartNotify char0011")
      link.daemon.announceValue(Self.measurement, [1])
      link.daemon.announceValue(Self.measurement, [2])
      try await link.settle()
      #expect(link.events.isEmpty)
      call.succeed()
      _ = await link.events(3)
      link.daemon.announceValue(Self.measurement, [3])
      #expect(
        await link.events(4) == [
          .done("subscribe"), .notified([1], 0x11), .notified([2], 0x11), .notified([3], 0x11),
        ])
    }
  }

  @Test @BridgeQueue func `sessions have a connection of their own, which ends with the link`() async throws {
    try await Link.run { link in
      link.setNotify(true, Link.measurement)
      let call = try await link.daemon.expect("StartNotify char0011")
      let owner = try #require(call.message.sender)
      #expect(owner != link.connection.uniqueName)
      call.succeed()
      _ = await link.events(1)
      link.client.end(.peripheralDisconnected)
      var hasOwner = true
      for _ in 0..<1000 where hasOwner {
        let question = Message.methodCall(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
          member: "NameHasOwner")
        hasOwner = try await link.connection.call(question.append(.string(owner))).arguments.first?.bool ?? false
      }
      #expect(!hasOwner)
    }
  }

  @Test @BridgeQueue func `values nobody subscribed to are nobody's`() async throws {
    try await Link.run { link in
      link.daemon.announceValue(Self.measurement, [1])
      link.setNotify(true, Link.measurement)
      try await link.daemon.expect("StartNotify char0011").fail("NotPermitted", "Notify acquired")
      link.daemon.announceValue(Self.measurement, [2])
      try await link.settle()
      #expect(link.events == [.failed("subscribe", .attribute(17))])
    }
  }

  @Test @BridgeQueue func `after unsubscribing there are no more values`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      link.setNotify(false, Link.measurement)
      let call = try await link.daemon.expect("StopNotify char0011")
      link.daemon.announceValue(Self.measurement, [1])
      try await link.settle()
      call.succeed()
      _ = await link.events(2)
      link.daemon.announceValue(Self.measurement, [2])
      try await link.settle()
      #expect(link.events == [.notified([1], 0x11), .done("unsubscribe")])
    }
  }

  @Test @BridgeQueue func `equal values are all delivered`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      for _ in 0..<50 { link.daemon.announceValue(Self.measurement, [7]) }
      try await link.settle()
      #expect(link.events == Array(repeating: .notified([7], 0x11), count: 50))
    }
  }

  @Test @BridgeQueue func `a state already in force needs no traffic`() async throws {
    try await Link.run { link in
      link.setNotify(false, Link.measurement)
      _ = await link.events(1)
      link.events = []
      try await link.subscribe()
      link.setNotify(true, Link.measurement)
      #expect(await link.events(1) == [.done("subscribe")])
      #expect(link.daemon.log == ["StartNotify char0011"])
    }
  }

  @Test @BridgeQueue func `what cannot notify, or cannot be configured, is refused`() async throws {
    try await Link.run { link in
      link.setNotify(true, Link.location)
      link.setNotify(true, Link.unconfigurable)
      #expect(await link.events(2) == [.failed("subscribe", .attribute(6)), .failed("subscribe", .attribute(10))])
      #expect(link.daemon.log.isEmpty)
    }
  }

  @Test @BridgeQueue func `a session that could not be registered is tried again`() async throws {
    try await Link.run { link in
      link.setNotify(true, Link.measurement)
      try await link.daemon.expect("StartNotify char0011").fail("Failed", "Failed to register notify session")
      try await link.daemon.expect("StartNotify char0011").fail("InProgress", "In Progress")
      try await link.daemon.expect("StartNotify char0011").succeed()
      #expect(await link.events(1) == [.done("subscribe")])
    }
  }

  @Test @BridgeQueue func `stopping a session that bluetoothd has forgotten succeeds`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      link.setNotify(false, Link.measurement)
      try await link.daemon.expect("StopNotify char0011").fail("Failed", "No notify session started")
      #expect(await link.events(1) == [.done("unsubscribe")])
    }
  }

  // MARK: Reads and their echo

  @Test @BridgeQueue func `the echo of a read is no notification`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      link.read(Link.measurement)
      let call = try await link.daemon.expect("ReadValue char0011")
      link.daemon.announceValue(Self.measurement, [9])
      call.succeed(.bytes([9]))
      _ = await link.events(1)
      link.daemon.announceValue(Self.measurement, [9])
      #expect(await link.events(2) == [.value([9]), .notified([9], 0x11)])
    }
  }

  @Test @BridgeQueue func `notifications during a read come before its result`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      link.read(Link.measurement)
      let call = try await link.daemon.expect("ReadValue char0011")
      for value: UInt8 in [1, 9, 9] { link.daemon.announceValue(Self.measurement, [value]) }
      call.succeed(.bytes([9]))
      #expect(await link.events(3) == [.notified([1], 0x11), .notified([9], 0x11), .value([9])])
    }
  }

  @Test @BridgeQueue func `a last value other than the result, or before an error, is a notification`() async throws {
    try await Link.run { link in
      try await link.subscribe()
      link.read(Link.measurement)
      let first = try await link.daemon.expect("ReadValue char0011")
      link.daemon.announceValue(Self.measurement, [1])
      first.succeed(.bytes([2]))
      link.read(Link.measurement)
      let second = try await link.daemon.expect("ReadValue char0011")
      link.daemon.announceValue(Self.measurement, [3])
      second.fail("NotPermitted", "Read not permitted")
      #expect(
        await link.events(4) == [
          .notified([1], 0x11), .value([2]), .notified([3], 0x11), .failed("read", .attribute(2)),
        ])
    }
  }

  @Test @BridgeQueue func `the echo of a read on an unsubscribed characteristic is nobody's`() async throws {
    try await Link.run { link in
      link.read(Link.measurement)
      let call = try await link.daemon.expect("ReadValue char0011")
      link.daemon.announceValue(Self.measurement, [9])
      call.succeed(.bytes([9]))
      try await link.settle()
      #expect(link.events == [.value([9])])
    }
  }
}
