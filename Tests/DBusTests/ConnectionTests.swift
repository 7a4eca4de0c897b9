import BridgeIO
import DBus
import Glibc
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test @BridgeQueue func helloGivesAUniqueName() async throws {
    try await PrivateBus.run { bus in
      let connection = try bus.connect()
      let identifier = try await connection.call(connection.busCall("GetId")).arguments.first?.string
      #expect(identifier?.count == 32)
      #expect(connection.uniqueName?.hasPrefix(":1.") == true)
    }
  }
}
