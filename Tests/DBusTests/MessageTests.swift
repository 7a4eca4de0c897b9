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
