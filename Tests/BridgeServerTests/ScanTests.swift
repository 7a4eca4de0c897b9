import BridgeIO
import BridgeProtocol
import BridgeServer
import Radio
import TestSupport
import Testing

/// Several clients' scans over one radio.
@Suite @BridgeQueue struct ScanTests {
  private func scan(
    _ services: [String] = [], duplicates: Bool = false, solicited: [String] = []
  ) -> ClientMessage {
    .scan(
      Scan(
        services: services.compactMap { SpelledUUID($0) }, allowDuplicates: duplicates,
        solicitedServices: solicited.compactMap { SpelledUUID($0) }))
  }

  private func client(_ service: ServiceFixture, _ message: ClientMessage) async throws -> LineClient {
    let client = try service.client()
    client.hello(features: .control)
    client.send(message)
    _ = try await client.messagesUntilStatus()
    return client
  }

  private func reports(_ client: LineClient) async throws -> [DidDiscover] {
    try await client.messagesUntilStatus().compactMap {
      guard case .didDiscover(let report) = $0 else { return nil }
      return report
    }
  }

  @Test func theRadioScansForTheUnionAndStopsWithTheLast() async throws {
    let service = try ServiceFixture()
    let plain = try await client(service, scan(["180F"]))
    let eager = try await client(service, scan(duplicates: true))
    eager.send(.stopScan(StopScan()))
    _ = try await reports(eager)
    plain.close()
    #expect(await eventually { service.radio.commands.last == .scan(nil) })
    let scans = service.radio.commands.filter { if case .scan = $0 { true } else { false } }
    let once = RadioScan(allowDuplicates: false)
    #expect(scans == [.scan(once), .scan(RadioScan(allowDuplicates: true)), .scan(once), .scan(nil)])
    await service.stop()
  }

  @Test func eachGetsWhatItsOwnFilterLetsThrough() async throws {
    let service = try ServiceFixture()
    let all = try await client(service, scan())
    let battery = try await client(service, scan(["180F", "1234"]))
    let other = try await client(service, scan(["1810"]))
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]))
    service.radio.advertise(.beacon, AdvertisementData(localName: "Beacon"))
    #expect(try await reports(all).map(\.id) == [.meter, .beacon])
    #expect(try await reports(battery).map(\.id) == [.meter])
    #expect(try await reports(other).isEmpty)
    await service.stop()
  }

  @Test func solicitedServicesWidenAFilter() async throws {
    let service = try ServiceFixture()
    let wide = try await client(service, scan(["180F"], solicited: ["1805"]))
    let narrow = try await client(service, scan(["180F"]))
    service.radio.advertise(
      .meter, AdvertisementData(solicitedServiceUUIDs: [BluetoothUUID(short: 0x1805)]))
    #expect(try await reports(wide).count == 1)
    #expect(try await reports(narrow).isEmpty)
    await service.stop()
  }

  @Test func aScanThatOutlivesALossOfTheRadioReportsEveryoneAgain() async throws {
    let service = try ServiceFixture()
    let client = try service.client()
    client.hello(features: [.control, .state])
    client.send(scan())
    _ = try await client.messagesUntilStatus()
    for loss in [AdapterState.poweredOff, .resetting] {
      service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), rssi: -40, revision: 1)
      #expect(try await reports(client).map(\.id) == [.meter])
      service.radio.setState(loss)
      _ = try await client.messagesUntilStatus()
      service.radio.setState(.poweredOn)
      _ = try await client.messagesUntilStatus()
    }
    await service.stop()
  }

  @Test func withoutDuplicatesOnlyNewContentIsReported() async throws {
    let service = try ServiceFixture()
    let once = try await client(service, scan())
    let always = try await client(service, scan(duplicates: true))
    for revision: UInt64 in [1, 1, 2, 2] {
      service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), rssi: -40, revision: revision)
    }
    #expect(try await reports(once).count == 2)
    #expect(try await reports(always).count == 4)
    // A new scan has everything reported again.
    once.send(scan())
    _ = try await reports(once)
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), revision: 2)
    #expect(try await reports(once).count == 1)
    await service.stop()
  }

  @Test func aClientThatTakesTheSlotOfOneThatWentIsToldEverything() async throws {
    let service = try ServiceFixture()
    let first = try await client(service, scan())
    let second = try await client(service, scan(["180F"]))
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), revision: 1)
    #expect(try await reports(first).count == 1)
    first.send(.stopScan(StopScan()))
    _ = try await reports(first)
    let third = try await client(service, scan())
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), revision: 1)
    #expect(try await reports(third).count == 1)
    #expect(try await reports(second).count == 1)
    #expect(try await reports(first).isEmpty)
    await service.stop()
  }

  @Test func aClientThatScansAnewAHundredTimesIsToldEverythingEachTime() async throws {
    let service = try ServiceFixture()
    let other = try await client(service, scan())
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), revision: 1)
    #expect(try await reports(other).count == 1)
    let restless = try await client(service, scan())
    for _ in 0..<100 {
      service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]), revision: 1)
      #expect(try await reports(restless).count == 1)
      restless.send(scan())
      #expect(try await reports(restless).isEmpty)
    }
    #expect(try await reports(other).isEmpty)
    await service.stop()
  }

  @Test func servicesAreSpelledAsTheScanSpelledThem() async throws {
    let service = try ServiceFixture()
    let long = "0000180f-0000-1000-8000-00805f9b34fb"
    let spelled = try await client(service, scan([long]))
    let usual = try await client(service, scan(["180F"]))
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]))
    for (client, text) in [(spelled, long.uppercased()), (usual, "180F")] {
      let line = try JSONValue(json: try #require(await client.nextLine()))
      #expect(line["adv"]?["kCBAdvDataServiceUUIDs"] == .array([.string(text)]))
    }
    await service.stop()
  }

  @Test func theNameIsTheCachedOneElseTheAdvertisedOne() async throws {
    let service = try ServiceFixture()
    let client = try await client(service, scan())
    service.radio.advertise(.meter, AdvertisementData(localName: "Short"))
    service.radio.advertise(.beacon, AdvertisementData())
    #expect(try await reports(client).map(\.name) == ["Bench Meter", ""])
    await service.stop()
  }

  @Test func nothingComesAfterStopScan() async throws {
    let service = try ServiceFixture()
    let client = try await client(service, scan())
    client.send(.stopScan(StopScan()))
    _ = try await reports(client)
    service.radio.advertise(.meter, AdvertisementData())
    #expect(try await reports(client).isEmpty)
    await service.stop()
  }

  @Test func theSameProcessComingBackScansOn() async throws {
    let service = try ServiceFixture()
    let first = try service.client()
    first.hello(pid: 77)
    first.send(scan(["180F"]))
    #expect(await eventually { service.radio.commands.contains(.scan(RadioScan(allowDuplicates: false))) })
    first.close()
    #expect(await eventually { service.radio.commands.last == .scan(nil) })

    let stranger = try service.client()
    stranger.hello(pid: 78)
    let second = try service.client()
    second.hello(pid: 77)
    #expect(await eventually { service.radio.commands.last != .scan(nil) })
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]))
    #expect(try await second.next()?.type == "didDiscover")
    #expect(stranger.pendingLines == 0)

    // Once it has stopped, nothing goes on.
    second.send(.stopScan(StopScan()))
    #expect(await eventually { service.radio.commands.last == .scan(nil) })
    second.close()
    #expect(await eventually { service.server.clientCount == 1 })
    let third = try service.client()
    third.hello(pid: 77, features: .control)
    #expect(try await third.messagesUntilStatus().map(\.type) == ["welcome"])
    #expect(service.radio.commands.last == .scan(nil))
    await service.stop()
  }

  @Test func connectionEventsGoToThoseWhoRegistered() async throws {
    let service = try ServiceFixture()
    let byService = try await client(service, scan())
    let nobody = try await client(service, scan())
    nobody.send(.registerForConnectionEvents(RegisterForConnectionEvents()))
    byService.send(
      .registerForConnectionEvents(
        RegisterForConnectionEvents(options: [
          "kCBConnectionEventMatchingOptionServiceUUIDs": .array([.string("180f"), .integer(3)])
        ])))
    _ = try await reports(byService)
    service.radio.advertise(.meter, AdvertisementData(serviceUUIDs: [.battery]))
    let radio = service.radio
    radio.observer?.radio(radio, connectionEvent: true, for: .meter)
    radio.observer?.radio(radio, connectionEvent: true, for: .beacon)
    let events = try await byService.messagesUntilStatus().filter { $0.type == "connectionEvent" }
    #expect(events == [.connectionEvent(ConnectionEvent(id: .meter, isConnected: true))])
    #expect(try await nobody.messagesUntilStatus().allSatisfy { $0.type != "connectionEvent" })
    await service.stop()
  }
}
