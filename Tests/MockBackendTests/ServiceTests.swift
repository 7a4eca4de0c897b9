import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

/// Virtual devices behind a service's socket.
@Suite @BridgeQueue struct ServiceTests {
  @Test func aFloodOfNotificationsReachesTheClientWholeAndInOrder() async throws {
    let service = try WorldService(MockConfiguration(name: "Test", devices: [.bench()]))
    let client = try LineClient(path: service.path)
    client.send(.connect(Connect(id: .bench)))
    _ = try await client.next("didConnect")
    client.send(.discoverServices(DiscoverServices(id: .bench, services: [])))
    guard case .didDiscoverServices(let services)? = try await client.next("didDiscoverServices") else {
      return unexpected()
    }
    let id = "\(services.services[0].id):2A19:\(Bench.level)"
    client.send(.setNotify(SetNotify(id: .bench, characteristicId: id, enabled: true)))
    _ = try await client.next("didUpdateNotification")
    let total = 20_000
    send(from: 0, to: total, service.radio)
    for number in 0..<total {
      guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
      try #require(update.value == Self.bytes(number))
    }
    await service.stop()
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  /// A hundred each turn, as a fast source does.
  private func send(from start: Int, to end: Int, _ radio: VirtualRadio) {
    for number in start..<min(start + 100, end) {
      radio.notify(Self.bytes(number), characteristic: Bench.level, of: .bench)
    }
    if start + 100 < end { BridgeQueue.async { send(from: start + 100, to: end, radio) } }
  }
}
