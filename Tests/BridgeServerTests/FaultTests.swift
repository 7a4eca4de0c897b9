import BridgeIO
import BridgeProtocol
import Radio
import TestSupport
import Testing

/// Faults set on the running service.
@Suite @BridgeQueue struct FaultTests {
  private func tool(_ service: ServiceFixture) async throws -> LineClient {
    let client = try service.controlClient()
    client.hello("bridge", pid: 1, features: [.control, .errors])
    _ = try await client.next("welcome")
    return client
  }

  private func set(_ rule: FaultRule, _ tool: LineClient) async throws -> DidSetFault? {
    tool.send(.setFault(SetFault(fault: rule)))
    guard case .didSetFault(let answer)? = try await tool.next("didSetFault") else { return nil }
    return answer
  }

  private var failingRead: FaultRule {
    var rule = FaultRule(.read)
    rule.characteristic = .vendor(0x21)
    rule.error = .attribute(5)
    rule.count = 1
    return rule
  }

  private func read(_ client: LineClient) async throws -> DidUpdateValue? {
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    guard case .didUpdateValue(let value)? = try await client.next("didUpdateValue") else { return nil }
    return value
  }

  @Test func theNextReadFailsForAnApp() async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    let client = try await service.connectedClient()
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    _ = try await client.next("didDiscoverServices")
    #expect(try await set(failingRead, tool) == DidSetFault(number: 1))
    #expect(try await read(client)?.error == .attribute(5))
    #expect(try await read(client)?.value == [0x0C, 0x00])
    await service.stop()
  }

  @Test func aLinkThatIsDroppedByAToolEndsForTheApp() async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    let client = try await service.connectedClient()
    var rule = FaultRule(.link)
    rule.name = "Bench Meter"
    rule.drop = true
    rule.count = 1
    #expect(try await set(rule, tool) == DidSetFault(number: 1, applied: 1))
    guard case .didDisconnect(let end)? = try await client.next("didDisconnect") else { return unexpected() }
    #expect(end.error?.text == BluetoothError.peripheralDisconnected.text)
    await service.stop()
  }

  /// It failed as cancelled, since the radio is told to let go of the link.
  @Test func whatIsUnderWayWhenALinkIsDroppedFailsAsOnALostLink() async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    let client = try await service.connectedClient(features: .errors)
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    _ = try await client.next("didDiscoverServices")
    var waiting: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { _, completion in waiting.append(completion) }
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    #expect(await eventually { waiting.count == 1 })
    let radio = service.radio
    radio.onDisconnect = { id in
      BridgeQueue.async {
        for completion in waiting { completion(.failure(.operationCancelled)) }
        radio.loseLink(id, nil)
      }
    }
    var rule = FaultRule(.link)
    rule.drop = true
    rule.count = 1
    _ = try await set(rule, tool)
    guard case .didUpdateValue(let value)? = try await client.next() else { return unexpected() }
    #expect(value.error == .peripheralDisconnected)
    await service.stop()
  }

  @Test func stepsOfDiscoveryFailThatTheTableWouldAnswer() async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    let client = try await service.connectedClient(features: .errors)
    for operation in [FaultOperation.discoverCharacteristics, .discoverDescriptors, .discoverIncludedServices] {
      var rule = FaultRule(operation)
      rule.error = .attribute(0x0E)
      _ = try await set(rule, tool)
    }
    client.send(.discoverCharacteristics(DiscoverCharacteristics(id: .meter, serviceId: Meter.serviceID)))
    client.send(.discoverDescriptors(DiscoverDescriptors(id: .meter, characteristicId: Meter.currentID)))
    client.send(.discoverIncludedServices(DiscoverIncludedServices(id: .meter, serviceId: Meter.serviceID)))
    guard case .didDiscoverCharacteristics(let characteristics)? = try await client.next("didDiscoverCharacteristics"),
      case .didDiscoverDescriptors(let descriptors)? = try await client.next("didDiscoverDescriptors"),
      case .didDiscoverIncludedServices(let included)? = try await client.next("didDiscoverIncludedServices")
    else { return unexpected() }
    #expect([characteristics.error, descriptors.error, included.error].allSatisfy { $0 == .attribute(0x0E) })
    #expect(characteristics.characteristics.isEmpty)
    await service.stop()
  }

  @Test func faultsAreListedAndCleared() async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    _ = try await set(failingRead, tool)
    _ = try await set(failingRead, tool)
    tool.send(.clearFaults(ClearFaults(number: 1)))
    tool.send(.faults(Faults()))
    tool.send(.clearFaults(ClearFaults(number: 1)))
    tool.send(.clearFaults(ClearFaults()))
    guard case .didClearFaults(let first)? = try await tool.next("didClearFaults"),
      case .didReportFaults(let report)? = try await tool.next("didReportFaults"),
      case .didClearFaults(let again)? = try await tool.next("didClearFaults"),
      case .didClearFaults(let rest)? = try await tool.next("didClearFaults")
    else { return unexpected() }
    #expect(first == DidClearFaults(count: 1))
    #expect(report.faults == [FaultStatus(number: 2, applied: 0, rule: failingRead)])
    #expect(again.error?.text == "There is no fault 1")
    #expect(rest.count == 1)
    await service.stop()
  }

  @Test func appsCannotSetFaults() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: [.state])
    client.send(.setFault(SetFault(fault: failingRead)))
    #expect(try await read(client)?.value == [0x0C, 0x00])
    await service.stop()
  }

  @Test(
    arguments: [
      (#"{"operation":"reed","attError":5}"#, "fault.operation: not one of"),
      (#"{"operation":"read"}"#, "nothing happens"),
      (#"{"operation":"read","attError":256}"#, "fault.attError: out of range"),
      (#"{"operation":"read","attError":5,"cbError":6}"#, "fault.cbError: there is an attError too"),
      (#"{"operation":"read","delay":-1}"#, "fault.delay: out of range"),
      (#"{"operation":"read","delay":1e9}"#, "fault.delay: out of range"),
      (#"{"operation":"read","lose":true,"rate":2}"#, "fault.rate: out of range"),
      (#"{"operation":"connect","attError":5}"#, "fault.attError: a connect fails with a cbError"),
      (#"{"operation":"link","delay":5}"#, "fault.operation: a link needs drop"),
      (#"{"operation":"read","lose":true,"id":"x"}"#, "fault.id: not a UUID"), (#"7"#, "fault: not an object"),
    ])
  func aFaultThatMakesNoSenseIsRefusedByField(_ fault: String, _ reason: String) async throws {
    let service = try ServiceFixture()
    let tool = try await tool(service)
    tool.send(#"{"type":"setFault","fault":\#(fault)}"#)
    guard case .didSetFault(let answer)? = try await tool.next("didSetFault") else { return unexpected() }
    #expect(answer.number == nil)
    #expect(answer.error?.text.contains(reason) == true, "\(answer.error?.text ?? "")")
    await service.stop()
  }
}
