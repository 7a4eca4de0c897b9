import BridgeIO
import DBus
import Glibc
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test @BridgeQueue func helloGivesAUniqueName() async throws {
    try await PrivateBus.run { bus in
      let connection = try bus.connect()
      #expect(connection.uniqueName == nil)
      let identifier = try await connection.call(connection.busCall("GetId")).arguments.first?.string
      #expect(identifier?.count == 32)
      #expect(connection.uniqueName?.hasPrefix(":1.") == true)
    }
  }

  @Test @BridgeQueue func nobodyListeningIsAnErrorAtOnce() {
    #expect(throws: DBusError.self) { try Connection(address: "unix:path=/nonexistent/bus") }
    #expect(throws: DBusError.self) { try Connection(address: "nonsense") }
  }

  @Test @BridgeQueue func repliesAndSignalsAreHandledInTheOrderOfArrival() async throws {
    try await Loopback.run { client, server in
      let count = 3000
      server.export("/") { call, reply in
        server.send(Self.numbered(2 * (call.read { $0.integer() } ?? 0)))
        reply(.success([]))
        server.send(Self.numbered(2 * (call.read { $0.integer() } ?? 0) + 1))
      }
      client.connection.addMatch("type='signal',interface='test.Interface'")
      var order: [Int] = []
      client.connection.onSignal = { message in
        if message.isSignal("test.Interface", "Number") { order.append(message.read { $0.integer() } ?? -1) }
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        for number in 0..<count {
          client.connection.call(client.message(to: server).append(.int32(Int32(number)))) { result in
            order.append(result.isSuccess ? -number : .min)
            if number == count - 1 { QueueTimer(after: .milliseconds(20)) { continuation.resume() } }
          }
        }
      }
      let expected: [Int] = (0..<count).flatMap { number -> [Int] in [2 * number, -number, 2 * number + 1] }
      #expect(order == expected)
    }
  }

  @BridgeQueue private static func numbered(_ number: Int) -> Message {
    Message.signal(path: "/", interface: "test.Interface", member: "Number").append(.int32(Int32(number)))
  }

  @Test @BridgeQueue func aFloodLeavesTurnsToOthers() async throws {
    try await Loopback.run { client, server in
      client.connection.addMatch("type='signal',interface='test.Interface'")
      try await client.connection.roundTrip()
      var turns = 0
      var longest = 0
      var inThisTurn = 0
      var received = 0
      client.connection.onSignal = { _ in
        received += 1
        inThisTurn += 1
        longest = max(longest, inThisTurn)
        if inThisTurn == 1 {
          BridgeQueue.atEndOfTurn {
            turns += 1
            inThisTurn = 0
          }
        }
      }
      for number in 0..<5000 { server.send(Self.numbered(number)) }
      #expect(await eventually { received == 5000 })
      #expect(longest <= 512 && turns >= 10)
    }
  }

  @Test @BridgeQueue func errorRepliesCarryNameAndText() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, reply in reply(.failure(DBusError(name: "org.bluez.Error.InProgress", message: "busy"))) }
      #expect(await client.failure(server) == DBusError(name: "org.bluez.Error.InProgress", message: "busy"))
      let missing = Message.methodCall(to: "no.such.Name", path: "/", interface: "a.b", member: "C")
      let failure = await result { client.connection.call(missing, completion: $0) }.failure
      #expect(
        failure?.name == "org.freedesktop.DBus.Error.NameHasNoOwner"
          || failure?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
    }
  }

  @Test @BridgeQueue func aCompletionIsNeverCalledInsideTheCall() async throws {
    try await Loopback.run { client, server in
      client.connection.close()
      var isInside = true
      let failure: DBusError? = await withCheckedContinuation { continuation in
        client.connection.call(client.message(to: server)) { result in
          #expect(!isInside)
          continuation.resume(returning: result.failure)
        }
        isInside = false
      }
      #expect(failure == .disconnected)
    }
  }

  @Test @BridgeQueue func aCancelledCallIsForgotten() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, reply in reply(.success([])) }
      var calls = 0
      let cancelled = client.connection.call(client.message(to: server)) { _ in calls += 1 }
      cancelled.cancel()
      #expect(!cancelled.isPending)
      server.export("/late") { _, reply in reply(.success([])) }
      _ = try await client.connection.call(client.message(to: server, path: "/late"))
      #expect(calls == 0)
      client.connection.close()
      #expect(calls == 0)
    }
  }

  @Test @BridgeQueue func deathOfTheBusFailsPendingCallsOnceAndThenTells() async throws {
    let bus = try await PrivateBus.start()
    let server = try bus.connect()
    let client = try bus.connect()
    server.export("/") { _, _ in }
    try await server.roundTrip()
    var events: [String] = []
    for number in 0..<3 {
      client.call(Message.methodCall(to: server.uniqueName ?? "", path: "/", interface: "a.b", member: "C")) { result in
        events.append("\(number) \(result.failure == .disconnected)")
      }
    }
    client.onDisconnect = { events.append("disconnected") }
    try await client.roundTrip()
    await bus.kill()
    #expect(await eventually { events.last == "disconnected" })
    #expect(events == ["0 true", "1 true", "2 true", "disconnected"])
    #expect(!client.isOpen)
    client.close()
    #expect(events.count == 4)
    await bus.stop()
  }

  @Test @BridgeQueue func closingFailsPendingCallsAndTellsNobody() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, _ in }
      var failures: [DBusError?] = []
      client.connection.onDisconnect = { Issue.record("told of its own closing") }
      client.connection.call(client.message(to: server)) { failures.append($0.failure) }
      client.connection.close()
      #expect(failures == [.disconnected])
      client.connection.close()
      client.connection.send(client.message(to: server))
      client.connection.addMatch("type='signal'")
    }
  }

  @Test @BridgeQueue func mayBeClosedFromItsOwnCallbacks() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, reply in
        for number in 0..<50 { server.send(Self.numbered(number)) }
        reply(.success([]))
      }
      client.connection.addMatch("type='signal',interface='test.Interface'")
      var seen = 0
      client.connection.onSignal = { message in
        guard message.isSignal("test.Interface", "Number") else { return }
        seen += 1
        if seen == 10 { client.connection.close() }
      }
      #expect(await client.failure(server) == .disconnected)
      #expect(seen == 10)
    }
  }

  @Test @BridgeQueue func endsWithItsLastUser() async throws {
    try await PrivateBus.run { bus in
      let watcher = try bus.connect()
      watcher.addMatch("type='signal',member='NameOwnerChanged'")
      try await watcher.roundTrip()
      var left: [String] = []
      watcher.onSignal = {
        if let name = $0.read({ $0.string() }), $0.arguments.last?.string == "" { left.append(name) }
      }
      var connection: Connection? = try bus.connect()
      try await connection?.roundTrip()
      let name = try #require(connection?.uniqueName)
      weak let gone = connection
      connection = nil
      #expect(await eventually { left.contains(name) })
      #expect(gone == nil)
    }
  }

  @Test @BridgeQueue func fiveHundredConnectionsLeakNoDescriptor() async throws {
    try await PrivateBus.run { bus in
      for _ in 0..<500 {
        let connection = try bus.connect()
        try await connection.roundTrip()
        connection.close()
      }
      let open = try bus.connect()
      #expect(descriptors(connectedTo: bus) == 1)
      open.close()
      #expect(descriptors(connectedTo: bus) == 0)
    }
  }

  /// Sockets of this process whose other end is the bus; other tests have theirs on other buses.
  @BridgeQueue
  private func descriptors(connectedTo bus: PrivateBus) -> Int {
    let path = bus.address.dropFirst("unix:path=".count)
    return (0..<CInt(4096)).count { number in
      var peer = sockaddr_un()
      var size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let result = withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &size) }
      }
      guard result == 0, CInt(peer.sun_family) == AF_UNIX else { return false }
      return withUnsafeBytes(of: &peer.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) == path }
    }
  }

  @Test @BridgeQueue func aNameHasOneOwner() async throws {
    try await Loopback.run { client, server in
      try await server.requestName("org.bluez")
      try await server.requestName("org.bluez")
      await #expect(throws: DBusError.self) { try await client.connection.requestName("org.bluez") }
      let released = await result { server.releaseName("org.bluez", completion: $0) }
      #expect(released == nil)
      try await client.connection.requestName("org.bluez")
    }
  }

  @Test @BridgeQueue func callsMadeBeforeHelloIsAnsweredAreSentBehindIt() async throws {
    try await PrivateBus.run { bus in
      let connection = try bus.connect()
      let names = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
        connection.requestName("first.Name") { _ in }
        connection.call(connection.busCall("ListNames")) { result in
          continuation.resume(returning: (try? result.get())?.arguments.first?.strings ?? [])
        }
      }
      #expect(names.contains("first.Name"))
    }
  }

  @Test func theSystemBusHasAnAddress() {
    #expect(Connection.systemBusAddress().contains(":"))
  }
}
