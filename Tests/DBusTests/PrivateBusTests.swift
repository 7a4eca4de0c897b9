import BridgeIO
import DBus
import TestSupport
import Testing

@Suite struct PrivateBusTests {
  @Test @BridgeQueue func comesBackAtTheSameAddress() async throws {
    try await PrivateBus.run { bus in
      for _ in 0..<3 {
        let connection = try bus.connect()
        try await connection.roundTrip()
        await bus.kill()
        #expect(await eventually { !connection.isOpen })
        #expect(throws: DBusError.self) { try bus.connect() }
        try await bus.restart()
      }
    }
  }
}
