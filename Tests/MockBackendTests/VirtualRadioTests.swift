import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

@Suite @BridgeQueue struct VirtualRadioTests {
  // MARK: Scanning

  @Test("SCAN-14, SCAN-18: everything is reported at once, with what it advertises; disabled devices are not")
  func scanning() async throws {
    var beacon = MockDevice(id: .other, name: "Beacon")
    beacon.isConnectable = false
    beacon.manufacturerData = [0x4C, 0, 1]
    beacon.serviceData = [BluetoothUUID(short: 0xFEAA): [0x10]]
    beacon.txPower = -8
    beacon.localName = ""
    let hidden = MockDevice.bench { $0.isEnabled = false }
    let world = VirtualWorld(beacon, hidden)
    world.radio.scan(RadioScan(allowDuplicates: false))
    #expect(world.advertisements.isEmpty)
    await turns()
    let report = try #require(world.takeAdvertisements().first)
    #expect(report.peripheral == .other && report.rssi == -50 && report.name == nil)
    #expect(
      report.data
        == AdvertisementData(
          isConnectable: false, manufacturerData: [0x4C, 0, 1], serviceData: [BluetoothUUID(short: 0xFEAA): [0x10]],
          txPowerLevel: -8))
  }

  @Test func aDeviceThatIsGoneIsNotReportedByAScanThatHadNotComeToIt() async {
    let devices = (1...3000).map { MockDevice(id: PeripheralIdentifier(high: 1, low: $0), name: "Old") }
    let world = VirtualWorld(MockConfiguration(name: "Crowd", devices: devices))
    world.radio.scan(RadioScan(allowDuplicates: false))
    world.radio.configuration = MockConfiguration(name: "One", devices: [MockDevice(id: .other, name: "New")])
    await turns(10)
    #expect(world.takeAdvertisements().map(\.peripheral) == [.other])
  }

  @Test("SCAN-8: with duplicates each device is reported at its interval")
  func duplicates() async {
    let world = VirtualWorld(.bench(), MockDevice(id: .other, name: "Other")) {
      $0.advertisingInterval = .milliseconds(30)
    }
    world.radio.scan(RadioScan(allowDuplicates: true))
    #expect(await eventually { world.advertisements.count >= 8 })
    world.radio.scan(nil)
    let reports = world.takeAdvertisements()
    for id in [PeripheralIdentifier.bench, .other] {
      let own = reports.filter { $0.peripheral == id }
      #expect(own.count >= 3 && Set(own.map(\.revision)).count == 1)
    }
  }

  @Test("SCAN-9: a scan begun again reports everything again, and none after its end")
  func scanningAgain() async {
    let world = VirtualWorld(.bench())
    world.radio.scan(RadioScan(allowDuplicates: false))
    await turns()
    world.radio.scan(nil)
    world.radio.advertise(.bench)
    await turns()
    #expect(world.takeAdvertisements().count == 1)
    world.radio.scan(RadioScan(allowDuplicates: false))
    await turns()
    #expect(world.takeAdvertisements().count == 1)
  }

  @Test func aScanIsAWishThatThePowerFulfils() async {
    let world = VirtualWorld(.bench())
    world.radio.setState(.poweredOff)
    world.radio.scan(RadioScan(allowDuplicates: false))
    await turns()
    #expect(world.advertisements.isEmpty)
    world.radio.setState(.poweredOn)
    await turns()
    #expect(world.advertisements.count == 1)
  }

  @Test func tenThousandDevicesAreScannedAndTurnTheWheel() async {
    var configuration = MockConfiguration(name: "Big")
    for number in 0..<10_000 {
      configuration.devices.append(
        MockDevice(id: PeripheralIdentifier(high: 1, low: UInt64(number)), name: "Device \(number)"))
    }
    let start = ContinuousClock.now
    let world = VirtualWorld(configuration) { $0.advertisingInterval = .seconds(2) }
    world.radio.scan(RadioScan(allowDuplicates: true))
    #expect(await eventually { world.advertisements.count >= 25_000 })
    world.radio.scan(nil)
    let counts = Dictionary(grouping: world.takeAdvertisements(), by: \.peripheral).mapValues(\.count)
    #expect(counts.count == 10_000 && counts.values.allSatisfy { $0 >= 1 })
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  // MARK: Connecting

  @Test("CONN-2, CONN-5: a connect succeeds, and again at once on the link that stands")
  func connecting() async {
    let world = VirtualWorld(.bench())
    world.radio.connect(.bench)
    world.radio.connect(.bench)
    #expect(world.events.isEmpty)
    await turns()
    #expect(world.takeEvents() == [.link(true, .bench), .connected(.bench), .connected(.bench)])
    #expect(world.radio.isConnected(.bench))
  }

  @Test("CONN-6: what is unknown, not connectable or refuses fails")
  func failing() async {
    let slow = SlowPeripheral()
    slow.connectError = .connectionLimitReached
    let world = VirtualWorld(.bench { $0.isConnectable = false })
    world.radio.add(slow)
    world.radio.connect(.bench)
    world.radio.connect(.other)
    world.radio.connect(slow.id)
    await turns()
    let events = world.takeEvents()
    #expect(events.count == 3)
    #expect(events[1] == .failed(.other, .unknownDevice))
    #expect(events[0] == .failed(.bench, BluetoothError.connectionFailed.saying("Device not connectable")))
    #expect(events[2] == .failed(slow.id, .connectionLimitReached))
    #expect(!world.radio.isConnected(.bench) && !world.radio.knows(.other))
  }

  @Test func aDisabledDeviceCanBeConnectedTo() async {
    let world = VirtualWorld(.bench { $0.isEnabled = false })
    await world.connect(.bench)
    #expect(world.radio.isConnected(.bench))
  }

  @Test("CONN-1: a device out of range is waited for; CONN-11: one that goes out of it is lost with a timeout")
  func range() async {
    let slow = SlowPeripheral()
    slow.isReachable = false
    let world = VirtualWorld(.bench())
    world.radio.add(slow)
    world.radio.connect(slow.id)
    await turns()
    #expect(world.events.isEmpty)
    slow.isReachable = true
    world.radio.reachabilityChanged(slow.id)
    await turns()
    #expect(world.takeEvents() == [.link(true, slow.id), .connected(slow.id)])
    slow.isReachable = false
    world.radio.reachabilityChanged(slow.id)
    await turns()
    #expect(world.takeEvents() == [.link(false, slow.id), .disconnected(slow.id, .connectionTimeout)])
    #expect(slow.disconnections == 1)
  }

  @Test("CONN-7, CONN-8: a disconnect always ends in didDisconnect without error")
  func disconnecting() async {
    let slow = SlowPeripheral()
    slow.isReachable = false
    let world = VirtualWorld(.bench())
    world.radio.add(slow)
    world.radio.connect(slow.id)
    world.radio.disconnect(slow.id)
    world.radio.disconnect(.bench)
    world.radio.disconnect(.other)
    await world.connect(.bench)
    world.radio.disconnect(.bench)
    await turns()
    #expect(world.takeEvents() == [.link(false, .bench), .disconnected(.bench, nil)])
  }

  @Test("STATE-5, STATE-6: links end with the power, without events; what was pending fails")
  func powerOff() async {
    let slow = SlowPeripheral()
    let world = VirtualWorld(MockConfiguration(name: "None"))
    world.radio.add(slow)
    await world.connect(slow.id)
    world.radio.read(11, of: slow.id) { world.mark("\($0.error?.code ?? 0)") }
    world.radio.setState(.poweredOff)
    await turns()
    #expect(world.takeEvents() == [.mark("7")])
    #expect(!world.radio.isConnected(slow.id))
  }

  @Test("NAME-3, NAME-4: the name is the advertised one until the device has told its own")
  func names() async {
    let world = VirtualWorld(.bench { $0.localName = "BN" })
    world.radio.scan(RadioScan(allowDuplicates: false))
    await turns()
    #expect(world.radio.name(of: .bench) == "BN")
    world.radio.connect(.bench)
    await turns()
    #expect(world.takeEvents() == [.link(true, .bench), .connected(.bench), .name("Bench", .bench)])
    #expect(world.radio.name(of: .bench) == "Bench")
    world.radio.configuration.devices[0].name = "Bench 2"
    await turns()
    #expect(world.takeEvents() == [.name("Bench 2", .bench)])
  }

  @Test("NAME-5: the RSSI of a connected device is the configured one")
  func rssi() async {
    let world = VirtualWorld(.bench { $0.rssi = -61 })
    await world.connect(.bench)
    let rssi: Result<Int, BluetoothError> = await result { world.radio.readRSSI(of: .bench, completion: $0) }
    #expect(rssi == .success(-61))
  }

  // MARK: Another configuration

  @Test func aRunningScanSeesTheChange() async {
    let world = VirtualWorld(.bench())
    world.radio.scan(RadioScan(allowDuplicates: false))
    await turns()
    let first = world.takeAdvertisements()
    world.radio.configuration = MockConfiguration(
      name: "Next", devices: [.bench { $0.txPower = 3 }, MockDevice(id: .other, name: "Other")])
    await turns()
    let next = world.takeAdvertisements()
    #expect(next.map(\.peripheral) == [.bench, .other])
    #expect(next[0].data.txPowerLevel == 3 && next[0].revision > first[0].revision)
    // The same once more is no news.
    world.radio.configuration = world.radio.configuration
    await turns()
    #expect(world.takeAdvertisements().isEmpty)
  }

  @Test func whoStaysKeepsItsLinkAndWhoIsGoneLosesIt() async {
    let world = VirtualWorld(.bench(), MockDevice(id: .other, name: "Other"))
    await world.connect(.bench)
    await world.connect(.other)
    _ = await world.setNotify(true, Bench.level, .bench)
    world.radio.configuration = MockConfiguration(name: "Next", devices: [.bench()])
    await turns()
    #expect(world.takeEvents() == [.link(false, .other), .disconnected(.other, .peripheralDisconnected)])
    #expect(world.radio.isConnected(.bench) && !world.radio.knows(.other))
    #expect(world.radio.subscription(to: Bench.level, of: .bench) == .notify)
  }

  @Test("DISC-11: changed services are told, those that stay keep their handles, and no handle is used again")
  func serviceChange() async throws {
    let battery = MockService(
      uuid: BluetoothUUID(short: 0x180F),
      characteristics: [MockCharacteristic(uuid: BluetoothUUID(short: 0x2A19), properties: .read, value: [50])])
    let world = VirtualWorld(.bench { $0.services.append(battery) })
    await world.connect(.bench)
    let old = try await world.discover(.bench).get()
    #expect(old.services.map(\.handle) == [10, 27])
    world.radio.configuration.devices[0].services[0] = battery
    await turns()
    #expect(world.takeEvents() == [.modified([10])])
    let new = try await world.discover(.bench).get()
    #expect(new.services.map(\.handle) == [27, 30])
    #expect(await world.read(28, .bench) == .success([50]))
    #expect(await world.read(Bench.level, .bench) == .failure(.attribute(0x01)))
  }

  @Test func aNewValueInAConfigurationCountsMoreThanAnOldWrite() async {
    let world = VirtualWorld(.bench())
    await world.connect(.bench)
    _ = await world.write([9], Bench.control, .bench)
    world.radio.configuration.devices[0].rssi = -1
    #expect(await world.read(Bench.control, .bench) == .success([9]))
    world.radio.configuration.devices[0].services[0].characteristics[1].value = [77]
    #expect(await world.read(Bench.control, .bench) == .success([77]))
    #expect(world.takeEvents().isEmpty)
  }

  @Test("MTU-3: another MTU is told")
  func anotherMTU() async {
    let world = VirtualWorld(.bench { $0.mtu = 50 })
    await world.connect(.bench)
    world.radio.configuration.devices[0].mtu = 100
    await turns()
    #expect(world.takeEvents() == [.writeLength(.bench)])
    #expect(world.radio.maximumWriteLength(of: .bench) == 97)
  }
}
