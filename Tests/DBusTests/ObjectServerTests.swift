import BridgeIO
import DBus
import TestSupport
import Testing

@Suite struct ObjectServerTests {
  @Test @BridgeQueue func callsReachTheNearestObject() async throws {
    try await Loopback.run { client, server in
      for (path, subtree) in [("/app", true), ("/app/service", false), ("/app/deep", true)] {
        server.export(ObjectPath(path), subtree: subtree) { _, reply in reply(.success([.string(path)])) }
      }
      for (called, answering) in [
        ("/app", "/app"), ("/app/service", "/app/service"), ("/app/service/char", "/app"),
        ("/app/deep/er", "/app/deep"),
      ] {
        let reply = try await client.connection.call(client.message(to: server, path: ObjectPath(called)))
        #expect(reply.arguments == [.string(answering)])
      }
      #expect(await client.failure(server, path: "/application") == .unknownObject("/application"))
      server.unexport("/app")
      #expect(await client.failure(server, path: "/app/service/char")?.name.hasSuffix("UnknownObject") == true)
    }
  }

  @Test @BridgeQueue func theHandlerAnswersUnknownMethodsWithTheStandardError() async throws {
    try await Loopback.run { client, server in
      server.export("/") { call, reply in reply(.failure(.unknownMethod(call))) }
      let failure = await client.failure(server, "Nonsense")
      #expect(failure?.name == "org.freedesktop.DBus.Error.UnknownMethod")
      #expect(failure?.message.contains("\"Nonsense\"") == true)
    }
  }

  @Test @BridgeQueue func everyConnectionIsAPeer() async throws {
    try await Loopback.run { client, server in
      let name = try #require(server.uniqueName)
      let ping = Message.methodCall(to: name, path: "/any", interface: "org.freedesktop.DBus.Peer", member: "Ping")
      let reply = try await client.connection.call(ping)
      #expect(reply.arguments.isEmpty)
    }
  }

  @Test @BridgeQueue func introspectionNamesTheChildren() async throws {
    try await Loopback.run { client, server in
      server.export("/app/a") { _, _ in }
      server.export("/app/b/c") { _, _ in }
      @BridgeQueue func introspect(_ path: ObjectPath) -> Message {
        Message.methodCall(
          to: server.uniqueName ?? "", path: path, interface: "org.freedesktop.DBus.Introspectable",
          member: "Introspect")
      }
      let text = try await client.connection.call(introspect("/app")).arguments.first?.string
      #expect(text?.hasSuffix("<node name=\"a\"/><node name=\"b\"/></node>") == true)
      let failure = await result { client.connection.call(introspect("/other"), completion: $0) }.failure
      #expect(failure == .unknownObject("/other"))
    }
  }

  @Test @BridgeQueue func onlyTheFirstReplyCountsAndItMayComeLate() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, reply in
        QueueTimer(after: .milliseconds(5)) {
          reply(.success([.byte(1)]))
          reply(.success([.byte(2)]))
        }
      }
      for _ in 0..<2 {
        let reply = try await client.connection.call(client.message(to: server))
        #expect(reply.arguments == [.byte(1)])
      }
    }
  }

  @Test @BridgeQueue func aCallSentWithoutInterestGetsNoReply() async throws {
    try await Loopback.run { client, server in
      var expected: [Bool] = []
      server.export("/") { call, reply in
        expected.append(call.wantsReply)
        reply(.success([]))
      }
      client.connection.send(client.message(to: server))
      _ = try await client.connection.call(client.message(to: server))
      #expect(expected == [false, true])
    }
  }

  @Test @BridgeQueue func repliesAfterTheEndOfTheConnectionAreDropped() async throws {
    try await Loopback.run { client, server in
      var late: (@BridgeQueue (Result<[Value], DBusError>) -> Void)?
      server.export("/") { _, reply in late = reply }
      let failure: DBusError? = await withCheckedContinuation { continuation in
        client.connection.call(client.message(to: server)) { continuation.resume(returning: $0.failure) }
        QueueTimer(after: .milliseconds(20)) { server.close() }
      }
      #expect(failure?.name == "org.freedesktop.DBus.Error.NoReply")
      late?(.success([]))
    }
  }
}
