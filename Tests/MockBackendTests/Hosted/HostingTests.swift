import BridgeIO
import BridgeProtocol
import BridgeServer
import MockBackend
import TestSupport
import Testing

/// Peripherals hosted by one client and used by others, over sockets.
@Suite struct HostingTests {
  @Test @BridgeQueue func `a hosted peripheral is found, connected and read by another client`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    #expect(ids.count == 4)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.temperature]))))
    guard case .didReceiveRead(let read) = try await host.event("didReceiveRead") else { return unexpected() }
    #expect(read.characteristic == 10 && read.offset == 0 && read.central.maximumUpdateValueLength == 512)
    host.respond(read.request, 0, [1, 2, 3])
    let update = try await central.value()
    #expect(update.value == [1, 2, 3] && update.error == nil)
  }

  @Test @BridgeQueue func `an ATT error of the host reaches the reader as it is`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.temperature]))))
    guard case .didReceiveRead(let read) = try await host.event("didReceiveRead") else { return unexpected() }
    host.respond(read.request, 0x81)
    host.respond(read.request, 0, [1])
    let error = try await central.value().error
    #expect(error?.domain == .attribute && error?.code == 0x81)
  }

  @Test(arguments: [#""result":0,"value":"%%%""#, #""result":999"#, #""result":"no""#])
  @BridgeQueue func `an answer of the host that cannot be read left its central waiting for the link's end`(
    _ answer: String
  ) async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.temperature]))))
    guard case .didReceiveRead(let read) = try await host.event("didReceiveRead") else { return unexpected() }
    host.send(#"{"type":"respond","request":\#(read.request),\#(answer)}"#)
    let error = try await central.value().error
    #expect(error?.domain == .attribute && error?.code == 0x0E)
  }

  @Test @BridgeQueue func `fixed values, descriptors and what is not permitted are answered without the host`()
    async throws
  {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.kind]))))
    #expect(try await central.value().value == [2])
    let locked = try #require(ids[.locked])
    central.send(.read(ReadCharacteristic(id: id, characteristicId: locked)))
    #expect(try await central.value().error?.code == 0x02)
    central.send(.write(WriteCharacteristic(id: id, characteristicId: locked, value: [1], writeType: .withResponse)))
    guard case .didWriteValue(let written) = try await central.next("didWriteValue") else { return unexpected() }
    #expect(written.error?.code == 0x03)
    #expect(host.pendingLines == 0)
  }

  @Test @BridgeQueue func `writes reach the host, and only those with response wait for it`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let interval = try #require(try await central.characteristics(of: id)[.interval])
    for value in [1, 2] as [UInt8] {
      central.send(
        .write(WriteCharacteristic(id: id, characteristicId: interval, value: [value], writeType: .withoutResponse)))
    }
    central.send(.write(WriteCharacteristic(id: id, characteristicId: interval, value: [3], writeType: .withResponse)))
    var values: [[UInt8]] = []
    var last = 0
    for _ in 0..<3 {
      guard case .didReceiveWrite(let write) = try await host.event("didReceiveWrite") else { return unexpected() }
      values += write.writes.map(\.value)
      last = write.request
    }
    #expect(values == [[1], [2], [3]])
    host.respond(last, 0x0D)
    guard case .didWriteValue(let written) = try await central.next("didWriteValue") else { return unexpected() }
    #expect(written.error?.code == 0x0D)
  }

  @Test @BridgeQueue func `each device is a central of its own, and is named in updates`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (one, id) = try await fixture.central(pid: 2)
    let (other, _) = try await fixture.central(pid: 3)
    let temperature = try #require(try await one.characteristics(of: id)[.temperature])
    _ = try await other.characteristics(of: id)
    try await one.subscribe(id, temperature)
    try await other.subscribe(id, temperature)
    guard case .didSubscribe(let first) = try await host.event("didSubscribe"),
      case .didSubscribe(let second) = try await host.event("didSubscribe")
    else { return unexpected() }
    #expect(first.central.id != second.central.id && first.characteristic == 10)
    func update(_ number: Int, _ value: UInt8, _ centrals: [PeripheralIdentifier]?) {
      host.request(
        .updateSubscribers(UpdateSubscribers(update: number, characteristic: 10, value: [value], centrals: centrals)))
    }
    update(1, 1, [second.central.id])
    update(2, 2, nil)
    #expect(try await one.value().value == [2])
    #expect(try await other.value().value == [1])
    #expect(try await other.value().value == [2])
    for number in 1...2 {
      guard case .didUpdateSubscribers(let update) = try await host.event("didUpdateSubscribers") else {
        return unexpected()
      }
      #expect(update.update == number)
    }
  }

  @Test @BridgeQueue func `clients of one process are one central, and do not hear what they host`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host(pid: 1)
    let own = try await fixture.client("host", pid: 1)
    own.send(.scan(Scan()))
    let (one, id) = try await fixture.central(pid: 2)
    let (other, _) = try await fixture.central(pid: 2)
    let temperature = try #require(try await one.characteristics(of: id)[.temperature])
    _ = try await other.characteristics(of: id)
    try await one.subscribe(id, temperature)
    try await other.subscribe(id, temperature)
    guard case .didSubscribe(let subscription) = try await host.event("didSubscribe") else { return unexpected() }
    try await one.subscribe(id, temperature, false)
    #expect(host.pendingLines == 0)
    other.close()
    guard case .didUnsubscribe(let end) = try await host.event("didUnsubscribe") else { return unexpected() }
    #expect(end.central == subscription.central)
    #expect(own.pendingLines == 0)
  }

  @Test @BridgeQueue func `a host that dies is a device that has gone, and back again under its identifier`()
    async throws
  {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    host.close()
    guard case .didDisconnect(let end) = try await central.next("didDisconnect") else { return unexpected() }
    #expect(end.id == id && end.error?.code == 7)
    // Waits for it to come back.
    central.send(.connect(Connect(id: id)))
    let again = try await fixture.host()
    guard case .didConnect(let connected) = try await central.next("didConnect") else { return unexpected() }
    #expect(connected.id == id)
    withExtendedLifetime(again) {}
  }

  @Test @BridgeQueue func `a request that the host never answers ends with the host's death`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.temperature]))))
    _ = try await host.event("didReceiveRead")
    host.close()
    #expect(try await central.value().error?.code == 7)
    _ = try await central.next("didDisconnect")
  }

  @Test @BridgeQueue func `PERI-34 a host that does not answer in time loses the link`() async throws {
    var options = VirtualHostedWorld.Options()
    options.radio.transactionTimeout = .milliseconds(20)
    let fixture = try HostingFixture(options)
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    let ids = try await central.characteristics(of: id)
    central.send(.read(ReadCharacteristic(id: id, characteristicId: try #require(ids[.temperature]))))
    guard case .didDisconnect(let end) = try await central.next("didDisconnect") else { return unexpected() }
    #expect(end.id == id && end.error != nil)
    // Too late, and harmless.
    guard case .didReceiveRead(let read) = try await host.event("didReceiveRead") else { return unexpected() }
    host.respond(read.request, 0, [1])
    host.request(.hostPeripheral(HostPeripheral()))
    _ = try await host.event("hostingState")
  }

  @Test @BridgeQueue func `a service is taken back, and centrals are told`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, id) = try await fixture.central(pid: 2)
    _ = try await central.characteristics(of: id)
    host.request(.unpublishService(UnpublishService(service: 1)))
    guard case .didModifyServices(let change) = try await central.next("didModifyServices") else { return unexpected() }
    #expect(change.serviceIds.count == 1)
    #expect(try await central.characteristics(of: id).isEmpty)
  }

  @Test @BridgeQueue func `what is wrong is refused, and only that`() async throws {
    let fixture = try HostingFixture()
    let client = try await fixture.client("x", pid: 5)
    client.request(.publishService(PublishService(service: .thermometer)))
    guard case .didPublishService(let early) = try await client.event("didPublishService") else { return unexpected() }
    #expect(early.error?.code == 1)
    let host = try await fixture.host()
    host.request(.publishService(PublishService(service: .thermometer)))
    guard case .didPublishService(let twice) = try await host.event("didPublishService") else { return unexpected() }
    #expect(twice.service == 1 && twice.error?.code == 1)
    var including = HostedService(id: 2, uuid: .locked, isPrimary: true)
    including.includedServices = [9]
    host.request(.publishService(PublishService(service: including)))
    guard case .didPublishService(let unknown) = try await host.event("didPublishService") else { return unexpected() }
    #expect(unknown.error?.code == 1)
    host.request(.startAdvertising(StartAdvertising(advertisement: AdvertisementData())))
    guard case .didStartAdvertising(let start) = try await host.event("didStartAdvertising") else {
      return unexpected()
    }
    #expect(start.error?.code == 9)
    host.respond(4711)
    host.request(.updateSubscribers(UpdateSubscribers(update: 1, characteristic: 99, value: [])))
    _ = try await host.event("didUpdateSubscribers")
  }

  @Test @BridgeQueue func `names and advertisements that nobody could send do not reach others`() async throws {
    let fixture = try HostingFixture()
    let host = try LineClient(path: fixture.path)
    // One character of a million bytes.
    let name = "e" + String(repeating: "\u{301}", count: 500_000)
    host.send(.hello(Hello(bundleId: name, pid: 1, device: name, features: Features.peripheral.names)))
    host.request(.hostPeripheral(HostPeripheral(restoreIdentifier: name)))
    _ = try await host.event("hostingState")
    let huge = AdvertisementData(localName: name)
    host.request(.startAdvertising(StartAdvertising(advertisement: huge)))
    guard case .didStartAdvertising(let refusal) = try await host.event("didStartAdvertising") else {
      throw Unexpected()
    }
    #expect(refusal.error?.text == "adv: more than the 1650 bytes of an advertisement")
    host.request(
      .startAdvertising(StartAdvertising(advertisement: .init(localName: "T", serviceUUIDs: [.thermometer]))))
    _ = try await host.event("didStartAdvertising")
    let (central, _) = try await fixture.central(pid: 2)
    guard case .didUpdateName(let update) = try await central.next("didUpdateName") else { return unexpected() }
    #expect(update.name.utf8.count == 399)
  }

  @Test @BridgeQueue func `a client without the feature cannot host`() async throws {
    let fixture = try HostingFixture()
    let client = try await fixture.client("x", pid: 5, features: [.state])
    client.request(.startAdvertising(StartAdvertising(advertisement: AdvertisementData())))
    guard case .didStartAdvertising(let start) = try await client.event("didStartAdvertising") else {
      return unexpected()
    }
    #expect(start.error != nil)
  }

  @Test @BridgeQueue func `the radio's state is the host's, and what is below off clears all`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    let (central, _) = try await fixture.central(pid: 2)
    fixture.radio.setState(.poweredOff)
    guard case .hostingState(let off) = try await host.event("hostingState") else { return unexpected() }
    #expect(off.state == .poweredOff)
    _ = try await central.next("didDisconnect")
    fixture.radio.setState(.poweredOn)
    _ = try await host.event("hostingState")
    // Advertising goes on, services are still there.
    let (again, id) = try await fixture.central(pid: 3)
    #expect(try await again.characteristics(of: id).count == 4)
    fixture.radio.setState(.resetting)
    fixture.radio.setState(.poweredOn)
    _ = try await host.event("hostingState")
    _ = try await host.event("hostingState")
    host.request(.publishService(PublishService(service: .thermometer)))
    guard case .didPublishService(let reply) = try await host.event("didPublishService") else { return unexpected() }
    #expect(reply.error == nil)
  }

  @Test @BridgeQueue func `what a client published is restored for one of the same restore identifier`() async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host(restoreIdentifier: "r")
    let (central, id) = try await fixture.central(pid: 2)
    host.close()
    _ = try await central.next("didDisconnect")
    central.send(.connect(Connect(id: id)))
    let again = try await fixture.client("host", pid: 9)
    again.request(.hostPeripheral(HostPeripheral(restoreIdentifier: "r")))
    guard case .didRestorePeripheral(let restored) = try await again.event("didRestorePeripheral") else {
      return unexpected()
    }
    #expect(restored.services == [.thermometer] && restored.advertisement?.localName == "Thermo")
    _ = try await again.event("hostingState")
    _ = try await central.next("didConnect")
    #expect(try await central.characteristics(of: id).count == 4)
  }

  @Test(arguments: [true, false]) @BridgeQueue
  func `a central that is restored after its host went holds nothing, and after the service went nothing breaks`(
    comesBack: Bool
  ) async throws {
    let fixture = try HostingFixture()
    let host = try await fixture.host()
    func central() async throws -> (LineClient, DidRestoreState) {
      let client = try LineClient(path: fixture.path + ".control")
      let features: Features = [.state, .errors, .restore]
      client.send(.hello(Hello(bundleId: "central", pid: 2, features: features.names, restoreIdentifier: "r")))
      guard case .didRestoreState(let state) = try await client.next("didRestoreState") else { throw Unexpected() }
      return (client, state)
    }
    let (first, _) = try await central()
    first.send(.scan(Scan()))
    guard case .didDiscover(let report) = try await first.next("didDiscover") else { return unexpected() }
    first.send(.stopScan(StopScan()))
    first.send(.connect(Connect(id: report.id)))
    _ = try await first.next("didConnect")
    first.close()
    #expect(await eventually { fixture.server.clientCount == 1 })
    host.close()
    #expect(await eventually { fixture.server.clientCount == 0 })
    if comesBack {
      let (second, state) = try await central()
      #expect(state.peripherals.allSatisfy { !$0.isConnected })
      let next = try await fixture.host()
      second.send(.scan(Scan()))
      guard case .didDiscover(let again) = try await second.next("didDiscover") else { return unexpected() }
      #expect(again.id == report.id)
      next.close()
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      fixture.server.stop { continuation.resume() }
    }
  }

  private func unexpected() { Issue.record("another message came, or none") }
}
