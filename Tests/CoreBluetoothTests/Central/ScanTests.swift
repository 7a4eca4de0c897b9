import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct ScanTests {
  private func report(
    _ data: AdvertisementData = .meter, id: PeripheralIdentifier = .meter, name: String = "", rssi: Int = -50
  ) -> ServerMessage {
    .didDiscover(DidDiscover(id: id, name: name, rssi: rssi, advertisement: data))
  }

  private func scan(_ fixture: CentralFixture) async throws -> Scan {
    guard case .scan(let scan)? = await fixture.provider.next() else { throw Recorder.NothingCame() }
    return scan
  }

  @Test("SCAN-1, SCAN-3: No services, or an empty list, mean everybody")
  func scan1() async throws {
    let fixture = try await CentralFixture.on()
    for services in [nil, []] as [[CBUUID]?] {
      fixture.central.scanForPeripherals(withServices: services)
      #expect(try await scan(fixture).services.isEmpty)
      await fixture.provider.send(report(AdvertisementData()))
      _ = try await fixture.recorder.next(.didDiscover)
    }
  }

  @Test("SCAN-2: Any of the services that are named is enough, whatever width it is written in")
  func scan2() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(
      withServices: [CBUUID(string: "180D"), CBUUID(string: "0000180F-0000-1000-8000-00805F9B34FB")])
    #expect(try await scan(fixture).services.map(\.text) == ["180F", "180D"])
    await fixture.provider.send(report())
    _ = try await fixture.recorder.next(.didDiscover)
  }

  @Test("SCAN-2: Providers that compare texts are asked in the text of the app")
  func scan2others() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    fixture.central.scanForPeripherals(
      withServices: [CBUUID(string: "180D"), CBUUID(string: "0000180F-0000-1000-8000-00805F9B34FB")])
    #expect(try await scan(fixture).services.map(\.text) == ["0000180F-0000-1000-8000-00805F9B34FB", "180D"])
  }

  @Test("SCAN-4: Solicited services widen the filter")
  func scan4() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(
      withServices: [CBUUID(string: "180D")],
      options: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "1812")]])
    #expect(try await scan(fixture).solicitedServices.map(\.text) == ["1812"])
    await fixture.provider.send(report(AdvertisementData(solicitedServiceUUIDs: [BluetoothUUID(short: 0x1812)])))
    let event = try await fixture.recorder.next(.didDiscover)
    let solicited = event.dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID]
    #expect(solicited == [CBUUID(string: "1812")])
  }

  @Test("SCAN-5: Reports of the scan before, whose services do not fit, are dropped")
  func scan5() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    _ = await fixture.provider.next()
    await fixture.provider.send(report())
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("SCAN-6, SCAN-9: Coalescing is left to the service, and each scan is a new one")
  func scan6() async throws {
    let fixture = try await CentralFixture.on()
    for _ in 0..<2 {
      fixture.central.scanForPeripherals(withServices: nil)
      #expect(try await scan(fixture).allowDuplicates == false)
      await fixture.provider.send(report())
      _ = try await fixture.recorder.next(.didDiscover)
      fixture.central.stopScan()
      _ = await fixture.provider.next("stopScan")
    }
  }

  @Test("SCAN-6: A provider that repeats itself is coalesced here; SCAN-7: what is new is told again")
  func scan6others() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    fixture.central.scanForPeripherals(withServices: nil)
    _ = await fixture.provider.next()
    var named = AdvertisementData.meter
    named.localName = "Meter 2"
    await fixture.provider.send([report(), report(rssi: -70), report(named), report(named)])
    #expect(try await fixture.eventsSoFar().filter { $0 == .didDiscover }.count == 2)
  }

  @Test("SCAN-8: With duplicates every report is told")
  func scan8() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    fixture.central.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    #expect(try await scan(fixture).allowDuplicates)
    await fixture.provider.send([report(), report(), report()])
    #expect(try await fixture.eventsSoFar() == [.didDiscover, .didDiscover, .didDiscover])
  }

  @Test("SCAN-10: A scan replaces the one before; SCAN-11: isScanning shows at once, and both calls may be repeated")
  func scan10and11() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(withServices: nil)
    fixture.central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
    #expect(fixture.central.isScanning)
    fixture.central.stopScan()
    #expect(!fixture.central.isScanning)
    fixture.central.stopScan()
    #expect(await fixture.requestsSoFar() == ["scan", "scan", "stopScan"])
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test("SCAN-12, SCAN-19: A scan goes on during a connect")
  func scan12() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    fixture.central.scanForPeripherals(withServices: nil)
    try await fixture.connect(peripheral)
    #expect(fixture.central.isScanning)
    await fixture.provider.send(report(id: .beacon))
    #expect(
      try await fixture.recorder.next(.didDiscover).peripheral?.identifier.uuidString
        == "\(PeripheralIdentifier.beacon)")
  }

  @Test("SCAN-20: There is no background: a scan for all with duplicates is as it was asked for")
  func scan20() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    let scan = try await scan(fixture)
    #expect(scan.services.isEmpty && scan.allowDuplicates)
    await fixture.provider.send([report(), report()])
    #expect(try await fixture.eventsSoFar() == [.didDiscover, .didDiscover])
  }

  @Test("SCAN-13: After stopScan nothing is told any more, not even what waited")
  func scan13() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(withServices: nil)
    _ = await fixture.provider.next()
    fixture.queue.suspend()
    await fixture.provider.send(report())
    fixture.central.stopScan()
    _ = await fixture.provider.next("stopScan")
    fixture.queue.resume()
    #expect(try await fixture.eventsSoFar() == [])
  }

  @Test(
    "SCAN-14, SCAN-15, SCAN-16, SCAN-17, SCAN-18: The dictionary has Apple's keys and types, and only what is advertised"
  )
  func scan14() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(withServices: nil)
    let full = AdvertisementData(
      localName: "Meter", isConnectable: false, serviceUUIDs: [BluetoothUUID(short: 0x180F)],
      overflowServiceUUIDs: [BluetoothUUID(short: 0x1234)], solicitedServiceUUIDs: [BluetoothUUID(short: 0x1812)],
      manufacturerData: [0x4C, 0, 1], serviceData: [BluetoothUUID(short: 0x180A): [9]], txPowerLevel: 4)
    await fixture.provider.send([report(full, rssi: 127), report(AdvertisementData(), id: .beacon)])
    let event = try await fixture.recorder.next(.didDiscover)
    let data = event.dictionary
    #expect(event.number == 127)
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Meter")
    #expect((data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == false)
    #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180F")])
    #expect(data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "1234")])
    #expect(data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 1]))
    #expect(data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "180A"): Data([9])])
    #expect((data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == 4)
    #expect(data["kCBAdvDataTimestamp"] as? Double != nil)
    let bare = try await fixture.recorder.next(.didDiscover).dictionary
    #expect((bare[CBAdvertisementDataIsConnectable] as? Bool) == true)
    #expect(bare[CBAdvertisementDataLocalNameKey] == nil)
    #expect(bare[CBAdvertisementDataServiceUUIDsKey] == nil)
  }

  @Test("UUID-6: UUIDs of advertisements are in their shortest form")
  func uuid6() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.scanForPeripherals(withServices: nil)
    await fixture.provider.send(report())
    let uuids = try await fixture.recorder.next(.didDiscover).dictionary[CBAdvertisementDataServiceUUIDsKey]
    #expect((uuids as? [CBUUID])?.first?.uuidString == "180F")
  }
}
