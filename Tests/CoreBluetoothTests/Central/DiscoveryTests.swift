import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct DiscoveryTests {
  private func discover(
    _ services: [CBUUID]?, of peripheral: CBPeripheral, _ fixture: CentralFixture, finds ids: [String]
  ) async throws -> DiscoverServices {
    peripheral.discoverServices(services)
    guard case .discoverServices(let request)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    await fixture.provider.send(.didDiscoverServices(Wire.services(ids)))
    _ = try await fixture.recorder.next(.didDiscoverServices)
    return request
  }

  @Test("DISC-1, DISC-2: Services are nil, then those found, maybe none")
  func disc1and2() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    #expect(peripheral.services == nil)
    #expect(try await discover([], of: peripheral, fixture, finds: []).services.isEmpty)
    #expect(peripheral.services == [])
    let request = try await discover([CBUUID(string: "180F")], of: peripheral, fixture, finds: [Wire.battery])
    #expect(request.services == [BluetoothUUID(short: 0x180F)])
    #expect(peripheral.services?.map(\.uuid) == [CBUUID(string: "180F")])
  }

  @Test("DISC-2: A failed discovery is told and changes nothing")
  func disc2failure() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    peripheral.discoverServices(nil)
    _ = await fixture.provider.next()
    await fixture.provider.send(
      .didDiscoverServices(DidDiscoverServices(id: .meter, services: [], error: .connectionTimeout)))
    let event = try await fixture.recorder.next(.didDiscoverServices)
    #expect((event.error as? CBError)?.code == .connectionTimeout)
    #expect(peripheral.services == nil)
  }

  @Test("DISC-3: Discoveries accumulate; DISC-4: and what is known keeps its identity and what it knows")
  func disc3and4() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send([Wire.value([5]), Wire.notifying(true)])
    _ = try await fixture.eventsSoFar()
    _ = try await discover([CBUUID(string: "180A")], of: meter.peripheral, fixture, finds: [Wire.information])
    #expect(meter.peripheral.services?.map(\.uuid.uuidString) == ["180F", "180A"])
    #expect(meter.peripheral.services?.first === meter.service)
    meter.peripheral.discoverCharacteristics([CBUUID(string: "2A19")], for: meter.service)
    _ = await fixture.provider.next()
    await fixture.provider.send(.didDiscoverCharacteristics(Wire.characteristics()))
    _ = try await fixture.recorder.next(.didDiscoverCharacteristics)
    #expect(meter.service.characteristics?.first === meter.current)
    #expect(meter.current.value == Data([5]))
    #expect(meter.current.isNotifying)
    #expect(meter.current.descriptors == meter.descriptors)
  }

  @Test("DISC-3: With a provider that names services anew each time the latest list counts")
  func disc3others() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    let peripheral = try await fixture.connected()
    _ = try await discover(nil, of: peripheral, fixture, finds: [Wire.battery, Wire.information])
    _ = try await discover([CBUUID(string: "180F")], of: peripheral, fixture, finds: ["\(Wire.id):180F:0"])
    #expect(peripheral.services?.count == 1)
  }

  @Test("DISC-5: Services of one UUID are all listed, in the service's order")
  func disc5() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let ids = ["\(Wire.id):FFF0:30", "\(Wire.id):FFF0:10", Wire.battery]
    _ = try await discover([CBUUID(string: "FFF0")], of: peripheral, fixture, finds: [ids[0]])
    _ = try await discover(nil, of: peripheral, fixture, finds: ids)
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["FFF0", "FFF0", "180F"])
    #expect(peripheral.services?[0] !== peripheral.services?[1])
  }

  @Test("DISC-6: Characteristics are nil until discovered for their service")
  func disc6() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    _ = try await discover(nil, of: peripheral, fixture, finds: [Wire.battery, Wire.information])
    let service = try #require(peripheral.services?.first)
    #expect(service.characteristics == nil)
    peripheral.discoverCharacteristics([CBUUID(string: "FFFF")], for: service)
    _ = await fixture.provider.next()
    await fixture.provider.send(
      .didDiscoverCharacteristics(
        DidDiscoverCharacteristics(id: .meter, serviceId: Wire.battery, characteristics: [])))
    let event = try await fixture.recorder.next(.didDiscoverCharacteristics)
    #expect(event.service === service)
    #expect(event.error == nil)
    #expect(service.characteristics == [])
    #expect(peripheral.services?[1].characteristics == nil)
  }

  @Test("DISC-7: Descriptors are nil until discovered, their values nil until read")
  func disc7() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    #expect(meter.control.descriptors == nil)
    #expect(meter.descriptors.map(\.uuid.uuidString) == ["2902", "2901", "2904"])
    #expect(meter.descriptors.allSatisfy { $0.value == nil && $0.characteristic === meter.current })
  }

  @Test("DISC-8: Included services are found through the service that includes them")
  func disc8() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    #expect(meter.service.includedServices == nil)
    meter.peripheral.discoverIncludedServices(nil, for: meter.service)
    #expect(await fixture.provider.next()?.type == "discoverIncludedServices")
    await fixture.provider.send(
      .didDiscoverIncludedServices(
        DidDiscoverIncludedServices(
          id: .meter, serviceId: Wire.battery,
          includedServices: [
            DiscoveredService(id: "\(Wire.id):FFE0:40", uuid: BluetoothUUID(short: 0xFFE0), isPrimary: false),
            DiscoveredService(id: Wire.information, uuid: BluetoothUUID(short: 0x180A), isPrimary: true),
          ])))
    _ = try await fixture.recorder.next(.didDiscoverIncludedServices)
    let included = try #require(meter.service.includedServices)
    #expect(included.map(\.isPrimary) == [false, true])
    #expect(meter.peripheral.services?.contains(included[0]) == false)
    #expect(meter.peripheral.services?[1] === included[1])
  }

  @Test("DISC-9, DISC-10: Attributes of another peripheral or of an earlier connection are not asked for")
  func disc9and10() async throws {
    let fixture = try await CentralFixture.on()
    let other = try await CentralFixture.on()
    let meter = try await fixture.explored()
    let foreign = try await other.explored()
    meter.peripheral.readValue(for: foreign.current)
    meter.peripheral.discoverCharacteristics(nil, for: foreign.service)
    #expect(await fixture.requestsSoFar() == [])
    await fixture.provider.send(Wire.disconnected(.peripheralDisconnected))
    _ = try await fixture.recorder.next(.didDisconnect)
    #expect(meter.peripheral.services == nil)
    try await fixture.connect(meter.peripheral)
    #expect(meter.peripheral.services == nil)
    meter.peripheral.readValue(for: meter.current)
    meter.peripheral.setNotifyValue(true, for: meter.current)
    meter.peripheral.writeValue(Data(), for: meter.control, type: .withoutResponse)
    meter.peripheral.discoverDescriptors(for: meter.current)
    #expect(await fixture.requestsSoFar() == [])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("DISC-11: Services that are no more leave the list, and their attributes are void")
  func disc11() async throws {
    let fixture = try await CentralFixture.on()
    let meter = try await fixture.explored()
    await fixture.provider.send(.didModifyServices(DidModifyServices(id: .meter, serviceIds: [Wire.battery])))
    #expect(try await fixture.recorder.next(.didModifyServices).services == [meter.service])
    #expect(meter.peripheral.services?.map(\.uuid.uuidString) == ["180A"])
    meter.peripheral.readValue(for: meter.current)
    #expect(await fixture.requestsSoFar() == [])
    await fixture.provider.send(.didModifyServices(DidModifyServices(id: .meter)))
    #expect(try await fixture.recorder.next(.didModifyServices).services == [])
  }

  @Test("DISC-12: Without a delegate services are not discovered")
  func disc12() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    peripheral.delegate = nil
    peripheral.discoverServices(nil)
    #expect(await fixture.requestsSoFar() == [])
  }

  @Test("DISC-13: Generic Access and Generic Attribute are never listed")
  func disc13() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let ids = ["\(Wire.id):1800:1", "\(Wire.id):1801:5", Wire.battery]
    _ = try await discover(nil, of: peripheral, fixture, finds: ids)
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["180F"])
  }
}
