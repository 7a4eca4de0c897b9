import BridgeIO
import DBus
import TestSupport

/// Two connections to a private bus.
@BridgeQueue
enum Loopback {
  @BridgeQueue
  struct Client {
    let connection: Connection

    func message(to server: Connection, path: ObjectPath = "/", _ member: String = "Method") -> Message {
      Message.methodCall(to: server.uniqueName ?? "", path: path, interface: "test.Interface", member: member)
    }

    func failure(_ server: Connection, path: ObjectPath = "/", _ member: String = "Method") async -> DBusError? {
      await result { connection.call(message(to: server, path: path, member), completion: $0) }.failure
    }
  }

  static func run(_ body: @BridgeQueue (Client, Connection) async throws -> Void) async throws {
    try await PrivateBus.run { bus in
      let server = try bus.connect()
      let client = try bus.connect()
      try await server.roundTrip()
      try await client.roundTrip()
      try await body(Client(connection: client), server)
    }
  }
}
