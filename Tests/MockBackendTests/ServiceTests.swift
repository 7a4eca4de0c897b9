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

  private func tool(_ service: WorldService) async throws -> LineClient {
    let tool = try LineClient(path: service.path)
    tool.hello("bridge", pid: 1, features: [.control, .errors])
    _ = try await tool.next("welcome")
    return tool
  }

  @Test func faultsOfTheConfigurationAreListedBehindThoseThatAreSet() async throws {
    let configuration = try ScriptedWorld.configuration(
      level: #"{"readError": 5}"#, world: #"{"connectionDelay": 0.01}"#)
    let service = try WorldService(configuration)
    let tool = try await tool(service)
    var rule = FaultRule(.notification)
    rule.lose = true
    tool.send(.setFault(SetFault(fault: rule)))
    tool.send(.connect(Connect(id: configuration.devices[0].id)))
    _ = try await tool.next("didConnect")
    tool.send(.faults(Faults()))
    guard case .didReportFaults(let report)? = try await tool.next("didReportFaults") else { return unexpected() }
    let faults = report.faults
    #expect(faults.map(\.number) == [1, nil, nil] && faults.map(\.isConfigured) == [false, true, true])
    #expect(Set(faults.map(\.rule.operation)) == [.notification, .read, .connect])
    #expect(faults.first { $0.rule.operation == .connect }?.applied == 1)
    tool.send(.clearFaults(ClearFaults()))
    guard case .didClearFaults(let cleared)? = try await tool.next("didClearFaults") else { return unexpected() }
    #expect(cleared.count == 1)
    await service.stop()
  }

  @Test func aToolTypesThePasskeyThatAnAppIsAskedFor() async throws {
    var options = VirtualRadioOptions()
    options.passkeyEntry = .asked
    let device = MockDevice.bench(pairing: .passkey) { $0.passkey = "428160" }
    let service = try WorldService(MockConfiguration(name: "Test", devices: [device]), options: options)
    let tool = try await tool(service)
    let app = try LineClient(path: service.path)
    app.hello(features: .errors)
    app.send(.connect(Connect(id: .bench)))
    _ = try await app.next("didConnect")
    app.send(.discoverServices(DiscoverServices(id: .bench, services: [])))
    guard case .didDiscoverServices(let services)? = try await app.next("didDiscoverServices") else {
      return unexpected()
    }
    app.send(
      .discoverCharacteristics(
        DiscoverCharacteristics(id: .bench, serviceId: services.services[0].id, characteristics: [])))
    guard case .didDiscoverCharacteristics(let found)? = try await app.next("didDiscoverCharacteristics") else {
      return unexpected()
    }
    let vault = try #require(found.characteristics.first { $0.id.hasSuffix(":\(Bench.vault)") }).id
    func type(_ passkey: String?) async throws -> DidEnterPasskey? {
      tool.send(.enterPasskey(EnterPasskey(passkey: passkey)))
      guard case .didEnterPasskey(let answer)? = try await tool.next("didEnterPasskey") else { return nil }
      return answer
    }
    #expect(try await type("428160")?.error?.text == "No virtual device waits for a passkey")
    for (passkey, error) in [(nil, 5), ("428160", nil)] as [(String?, Int?)] {
      app.send(.read(ReadCharacteristic(id: .bench, characteristicId: vault)))
      // The read is on its way while nobody is asked yet.
      var answer = try await type(passkey)
      while answer?.error != nil { answer = try await type(passkey) }
      #expect(answer == DidEnterPasskey(count: 1))
      guard case .didUpdateValue(let value)? = try await app.next("didUpdateValue") else { return unexpected() }
      #expect(value.error?.code == error)
      if error == nil { #expect(value.value == [42]) }
    }
    tool.send(#"{"type":"enterPasskey","passkey":"12345"}"#)
    guard case .didEnterPasskey(let refused)? = try await tool.next("didEnterPasskey") else { return unexpected() }
    #expect(refused.count == 0 && refused.error?.text.contains("passkey: not six digits") == true)
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
