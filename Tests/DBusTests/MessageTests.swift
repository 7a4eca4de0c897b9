import BridgeIO
import DBus
import Glibc
import TestSupport
import Testing

@Suite struct MessageTests {
  @Test @BridgeQueue func aCallSaysWhatItIs() {
    let call = Message.methodCall(
      to: "org.bluez", path: "/org/bluez", interface: "org.bluez.Agent1", member: "Cancel")
    #expect(call.kind == .methodCall)
    #expect(call.path == "/org/bluez")
    #expect(call.interface == "org.bluez.Agent1")
    #expect(call.member == "Cancel")
    #expect(call.isCall("org.bluez.Agent1", "Cancel"))
    #expect(!call.isCall("org.bluez.Agent1", "Release"))
    #expect(!call.isSignal("org.bluez.Agent1", "Cancel"))
    #expect(call.withPath { $0.count } == 10)
    #expect(call.error == nil)
  }

  @Test @BridgeQueue func aCopyIsTheSameMessageNotYetSent() async throws {
    try await Loopback.run { client, server in
      var calls: [Message] = []
      server.export("/") { call, reply in
        calls.append(call)
        reply(.success([]))
      }
      let first = client.message(to: server).append(.string("x"), .properties(["type": .string("request")]))
      _ = try await client.connection.call(first)
      let copy = first.copy()
      #expect(first.serial != 0 && copy.serial == 0)
      _ = try await client.connection.call(copy)
      #expect(calls.map(\.member) == [first.member, first.member])
      #expect(calls[0].arguments == first.arguments && calls[1].arguments == first.arguments)
      #expect(calls[0].serial != calls[1].serial)
    }
  }

  @Test @BridgeQueue func aCopyWithOtherBytesLeavesTheOriginalAlone() {
    let options = Value.properties(["type": .string("request")])
    for count in [0, 1, 20, 512] {
      let old = [UInt8](repeating: 1, count: count)
      let new = [UInt8](repeating: 2, count: count)
      let original = Message.methodCall(to: "a.b", path: "/", interface: "a.b", member: "C").append(
        .bytes(old), options)
      let copy = original.copy(replacingBytes: new)
      #expect(copy.arguments == [.bytes(new), options])
      #expect(original.arguments == [.bytes(old), options])
    }
  }

  @Test @BridgeQueue func aCopyOfACallSentWithoutAwaitingAnythingIsAnswered() async throws {
    try await Loopback.run { client, server in
      server.export("/") { _, reply in reply(.success([.boolean(true)])) }
      let call = client.message(to: server)
      client.connection.send(call)
      let reply = try await client.connection.call(call.copy())
      #expect(reply.arguments == [.boolean(true)])
    }
  }

  @Test @BridgeQueue func anErrorNameThatDBusForbidsBecomesFailed() async throws {
    try await Loopback.run { client, server in
      for (name, expected) in [("org.bluez.Error.X", "org.bluez.Error.X"), ("nonsense", DBusError.failed("").name)] {
        server.export("/") { _, reply in reply(.failure(DBusError(name: name, message: "why"))) }
        #expect(await client.failure(server) == DBusError(name: expected, message: "why"))
      }
    }
  }

  @Test @BridgeQueue func descriptorsTravelAndWhatIsNotTakenIsClosed() async throws {
    try await Loopback.run { client, server in
      var ends: [CInt] = [-1, -1]
      try check("pipe") { pipe(&ends) }
      let writeEnd = FileDescriptor(owning: ends[1])
      do {
        let readEnd = FileDescriptor(owning: ends[0])
        let number = readEnd.number
        server.export("/") { _, reply in
          reply(.success([.unixDescriptor(number), .uint16(517), .unixDescriptor(number)]))
        }
        let reply = try await client.connection.call(client.message(to: server))
        #expect(reply.signature == "hqh")
        let arguments = reply.arguments
        #expect(arguments == [.unixDescriptor(0), .uint16(517), .unixDescriptor(1)])
        _ = consume readEnd
        let passes = readsFrom(reply.takeDescriptor(0), what: writeEnd.number)
        #expect(passes)
        #expect(reply.takeDescriptor(0)?.number == nil)
        #expect(reply.takeDescriptor(5)?.number == nil)
        #expect(reply.takeDescriptor(-1)?.number == nil)
      }
      // All read ends are closed with the reply: writing fails.
      signal(SIGPIPE, SIG_IGN)
      #expect(await eventually { write(writeEnd.number, "x", 1) == -1 && errno == EPIPE })
    }
  }

  private func readsFrom(_ descriptor: consuming FileDescriptor?, what writeEnd: CInt) -> Bool {
    guard let descriptor else { return false }
    write(writeEnd, "hello", 5)
    var buffer = [UInt8](repeating: 0, count: 8)
    return read(descriptor.number, &buffer, 8) == 5
  }
}
