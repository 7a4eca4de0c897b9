import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// What a client holds outlives its connection if it says so.
@Suite @BridgeQueue struct RestorationTests {
  private let hello = Hello(bundleId: "app", pid: 4711, features: Features.restore.names, restoreIdentifier: "r")

  private func restored(_ client: LineClient) async throws -> [PeripheralIdentifier] {
    guard case .didRestoreState(let state) = try await client.next("didRestoreState") else { return [] }
    return state.peripheralIds
  }

  @Test func aClientThatGreetsLateDoesNotLoseItsHoldToTheOneThatIsRestored() async throws {
    let service = try ServiceFixture()
    let first = try service.client()
    first.send(.hello(hello))
    #expect(try await restored(first) == [])
    first.send(.connect(Connect(id: .meter)))
    _ = try await first.next("didConnect")
    first.close()
    #expect(await eventually { service.server.clientCount == 0 })

    let late = try service.client()
    late.send(.connect(Connect(id: .meter)))
    _ = try await late.next("didConnect")
    late.send(.hello(hello))
    #expect(try await restored(late) == [])
    late.send(.cancel(Cancel(id: .meter)))
    _ = try await late.next("didDisconnect")

    // It is still there for who comes back as one should, and ends with who lets go of it.
    let second = try service.client()
    second.send(.hello(hello))
    #expect(try await restored(second) == [.meter])
    #expect(service.radio.isConnected(.meter))
    second.send(.cancel(Cancel(id: .meter)))
    _ = try await second.next("didDisconnect")
    #expect(await eventually { !service.radio.isConnected(.meter) })
    await service.stop()
  }
}
