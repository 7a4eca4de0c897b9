import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Several clients and one link.
@Suite @BridgeQueue struct PeripheralSharesTests {
  private func connects(_ service: ServiceFixture) -> Int {
    service.radio.commands.count { $0 == .connect(.meter) }
  }

  @Test func aSecondClientSharesTheLinkAndTheLastOneEndsIt() async throws {
    let service = try ServiceFixture()
    let first = try await service.connectedClient()
    let second = try await service.connectedClient(pid: 2)
    #expect(connects(service) == 1)

    first.send(.cancel(Cancel(id: .meter)))
    guard case .didDisconnect(let goodbye)? = try await first.next() else { return unexpected() }
    #expect(goodbye.error == nil)
    #expect(goodbye.timestamp != nil)
    #expect(!service.radio.commands.contains(.disconnect(.meter)))

    second.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await second.next()?.type == "didReadRSSI")
    second.send(.cancel(Cancel(id: .meter)))
    #expect(try await second.next()?.type == "didDisconnect")
    #expect(service.radio.commands.contains(.disconnect(.meter)))
    await service.stop()
  }

  @Test func connectingAgainIsToldAgainAndWhilePendingOnce() async throws {
    let service = try ServiceFixture()
    service.radio.onConnect = { _ in }
    let client = try service.client()
    client.hello(features: .control)
    client.send(.connect(Connect(id: .meter)))
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.messagesUntilStatus().map(\.type) == ["welcome"])
    service.radio.completeConnect(.meter)
    #expect(try await client.next()?.type == "didConnect")
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.messagesUntilStatus().map(\.type) == ["didConnect"])
    #expect(connects(service) == 1)
    await service.stop()
  }

  @Test func aPendingConnectIsWithdrawnByCancelAndByDeath() async throws {
    let service = try ServiceFixture()
    service.radio.onConnect = { _ in }
    let client = try service.client()
    client.send(.connect(Connect(id: .meter)))
    client.send(.cancel(Cancel(id: .meter)))
    #expect(try await client.next()?.type == "didDisconnect")
    #expect(await eventually { service.radio.commands.contains(.disconnect(.meter)) })
    _ = service.radio.takeCommands()
    client.send(.connect(Connect(id: .meter)))
    #expect(await eventually { service.radio.commands.contains(.connect(.meter)) })
    client.close()
    #expect(await eventually { service.radio.commands.contains(.disconnect(.meter)) })
    await service.stop()
  }

  @Test func whoWantsADeviceThatIsJustLetGoGetsANewLink() async throws {
    let service = try ServiceFixture()
    service.radio.onDisconnect = { _ in }
    let first = try await service.connectedClient()
    first.send(.cancel(Cancel(id: .meter)))
    _ = try await first.next("didDisconnect")
    let second = try service.client()
    second.send(.connect(Connect(id: .meter)))
    second.send("{\"type\":\"scan\"}")
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: false))) })
    #expect(connects(service) == 1)
    service.radio.loseLink(.meter, nil)
    #expect(connects(service) == 2)
    #expect(try await second.next()?.type == "didConnect")
    #expect(first.pendingLines == 0)
    await service.stop()
  }

  @Test func aLostLinkFailsWhatIsPendingFirst() async throws {
    let service = try ServiceFixture()
    var pending: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { pending.append($1) }
    let clients = [
      try await service.connectedClient(features: .errors),
      try await service.connectedClient(pid: 2, features: .errors),
    ]
    for client in clients { client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID))) }
    #expect(await eventually { pending.count == 2 })
    for completion in pending { completion(.failure(.peripheralDisconnected)) }
    service.radio.loseLink(.meter, .connectionTimeout)
    for client in clients {
      guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
      #expect(update.error == .peripheralDisconnected)
      guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
      #expect(end.error == .connectionTimeout)
      #expect(!end.isReconnecting)
    }
    await service.stop()
  }

  @Test func aRequestWaitingForTheTableIsAnsweredWhenTheLinkIsLost() async throws {
    let service = try ServiceFixture()
    service.radio.onDiscover = { _, _ in }
    let client = try await service.connectedClient()
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    #expect(await eventually { service.radio.commands.contains(.discoverServices(.meter)) })
    service.radio.loseLink(.meter, .peripheralDisconnected)
    #expect(try await client.next()?.type == "didDiscoverServices")
    #expect(try await client.next()?.type == "didDisconnect")
    await service.stop()
  }

  @Test func anAnswerOfAnEarlierConnectionIsNotGivenToTheNext() async throws {
    let service = try ServiceFixture()
    var pending: [RadioCompletion<[UInt8]>] = []
    service.radio.onRead = { pending.append($1) }
    let client = try await service.connectedClient()
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    client.send(.cancel(Cancel(id: .meter)))
    client.send(.connect(Connect(id: .meter)))
    #expect(try await client.next()?.type == "didDisconnect")
    #expect(try await client.next()?.type == "didConnect")
    for completion in pending { completion(.success([1])) }
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await client.next()?.type == "didReadRSSI")
    await service.stop()
  }

  @Test func whatAnotherClientConnectedIsNotConnectedForThisOne() async throws {
    let service = try ServiceFixture()
    let first = try await service.connectedClient()
    let second = try service.client()
    second.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    guard case .didUpdateValue(let update)? = try await second.next() else { return unexpected() }
    #expect(update.error == .notConnected.saying("Not connected"))
    second.send(.discoverServices(DiscoverServices(id: .meter)))
    #expect(try await second.next()?.type == "didDiscoverServices")
    #expect(!service.radio.commands.contains { $0 == .read(Meter.current) || $0 == .discoverServices(.meter) })
    #expect(first.pendingLines == 0)
    await service.stop()
  }

  @Test func aFailedConnectIsToldToAllWhoWait() async throws {
    let service = try ServiceFixture()
    service.radio.onConnect = { _ in }
    let clients = [try service.client(), try service.client()]
    for client in clients {
      client.hello(features: [.errors, .control])
      client.send(.connect(Connect(id: .meter)))
      #expect(try await client.messagesUntilStatus().map(\.type) == ["welcome"])
    }
    service.radio.observer?.radio(service.radio, didFailToConnect: .meter, error: .encryptionTimedOut)
    for client in clients {
      guard case .didFailConnect(let failure)? = try await client.next() else { return unexpected() }
      #expect(failure.error == .encryptionTimedOut)
    }
    await service.stop()
  }

  @Test func aDiscoveryIsAskedOfTheRadioOnceForAllWhoWait() async throws {
    let service = try ServiceFixture()
    let clients = [try await service.connectedClient(), try await service.connectedClient(pid: 2)]
    for client in clients {
      client.send(.discoverServices(DiscoverServices(id: .meter, services: [.battery])))
      client.send(.discoverServices(DiscoverServices(id: .meter)))
    }
    for client in clients {
      guard case .didDiscoverServices(let one)? = try await client.next() else { return unexpected() }
      guard case .didDiscoverServices(let all)? = try await client.next() else { return unexpected() }
      #expect(one.services.map(\.uuid) == [.battery])
      #expect(all.services.map(\.uuid.text) == ["180A", BluetoothUUID.vendor(0x20).text, "180F"])
      // A filter changes what is listed, never what it is called.
      #expect(one.services[0] == all.services[2])
    }
    #expect(service.radio.commands.count { $0 == .discoverServices(.meter) } == 1)
    await service.stop()
  }

  @Test func idsIssuedBeforeARestartAreUnderstood() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient()
    // Nothing was discovered in this run, and the spelling is another.
    let id = Meter.currentID.lowercased()
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: id)))
    guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
    #expect(update.characteristicId == id)
    #expect(update.value == [0x0C, 0])
    await service.stop()
  }

  @Test func changedServicesAreToldAndOldIdsRetired() async throws {
    let service = try ServiceFixture()
    let client = try await service.connectedClient(features: .errors)
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    _ = try await client.next("didDiscoverServices")
    service.radio.devices[.meter]?.database.services.removeAll { $0.handle == Meter.service }
    let radio = service.radio
    radio.observer?.radio(radio, didModifyServices: [Meter.service], of: .meter)
    guard case .didModifyServices(let change)? = try await client.next() else { return unexpected() }
    #expect(change.serviceIds == [Meter.serviceID])
    client.send(.read(ReadCharacteristic(id: .meter, characteristicId: Meter.currentID)))
    guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
    #expect(update.error == .attribute(0x01).saying("Unknown attribute"))
    #expect(radio.commands.count { $0 == .discoverServices(.meter) } == 2)
    await service.stop()
  }
}
