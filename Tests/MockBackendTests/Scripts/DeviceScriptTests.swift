import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import RadioFaults
import TestSupport
import Testing

/// How scripted devices are heard, change, and fail.
@Suite @BridgeQueue struct DeviceScriptTests {
  private func scan(_ world: ScriptedWorld) { world.radio.scan(RadioScan(allowDuplicates: true)) }

  // MARK: On air

  @Test func strengthVariesWithinItsRangeTheSameEachRun() async throws {
    func run(_ behavior: String) async throws -> [Int] {
      let world = try ScriptedWorld(device: behavior)
      scan(world)
      #expect(await eventually { world.world.advertisements.count >= 20 })
      world.radio.scan(nil)
      return world.world.advertisements.prefix(20).map(\.rssi)
    }
    let behavior = #"{"seed": 2, "rssiRange": [-70, -50], "rssiVariation": 3, "advertising": {"interval": 0.02}}"#
    let strengths = try await run(behavior)
    #expect(strengths.allSatisfy { -70 ... -50 ~= $0 })
    #expect(zip(strengths, strengths.dropFirst()).allSatisfy { abs($0 - $1) <= 3 })
    #expect(Set(strengths).count > 3)
    #expect(try await run(behavior) == strengths)
  }

  @Test func aScheduleWithoutTimesLeavesOthersTheirTurns() async throws {
    let steps = (0..<9999).map { #"{"localName": "n\#($0)"}"# }.joined(separator: ",")
    let world = try ScriptedWorld(device: #"{"advertising": {"schedule": [{"after": 0.01}, \#(steps)]}}"#)
    func name() -> String? { world.radio.peripheral(world.device)?.advertisement?.localName }
    #expect(await eventually { name() != "Lamp" })
    await turns(3)
    #expect(name() != "n9998")
    #expect(await eventually { name() == "n9998" })
  }

  @Test func theWorldsKnobsHoldForDevicesThatSayNothing() async throws {
    let world = try ScriptedWorld(world: #"{"rssiRange": [-41, -40], "scanDiscoveryInterval": 0.02}"#)
    scan(world)
    #expect(await eventually { world.world.advertisements.count >= 4 })
    #expect(world.world.advertisements.allSatisfy { -41 ... -40 ~= $0.rssi })
  }

  @Test func aDeviceVanishesComesBackAndSaysSomethingElse() async throws {
    let world = try ScriptedWorld(
      device: #"""
        {"advertising": {"interval": 0.02, "schedule": [
          {"after": 0.1, "visible": false},
          {"after": 0.2, "visible": true, "localName": "Changed", "manufacturerData": "AQI=", "rssi": -33}]}}
        """#)
    scan(world)
    #expect(await eventually { world.world.advertisements.last?.data.localName == "Changed" })
    let advertisements = world.world.takeAdvertisements()
    let changed = try #require(advertisements.last)
    #expect(changed.data.manufacturerData == [1, 2])
    #expect(changed.rssi == -33)
    #expect(advertisements.first?.data.localName == "Lamp")
    #expect(advertisements.first?.revision != changed.revision)
  }

  @Test func aDeviceOutOfReachLosesItsLinkAndIsConnectedWhenItIsBack() async throws {
    let world = try ScriptedWorld(
      device: #"""
        {"advertising": {"repeat": true, "schedule": [
          {"after": 0.1, "reachable": false}, {"after": 0.1, "reachable": true}]}}
        """#)
    for _ in 0..<2 {
      world.radio.connect(world.device)
      #expect(await eventually { world.world.events.contains(.disconnected(world.device, .connectionTimeout)) })
      #expect(world.world.takeEvents().contains(.connected(world.device)))
    }
    await world.stop()
  }

  // MARK: Services

  private func services(_ world: ScriptedWorld) async throws -> [String] {
    try await world.world.discover(world.device).get().services.map(\.uuid.text)
  }

  @Test func aHiddenServiceIsNotThere() async throws {
    let world = try ScriptedWorld(information: #"{"isHidden": true}"#)
    await world.connect()
    #expect(try await services(world) == ["180F"])
  }

  @Test func servicesComeAndGoAnewWithEachLink() async throws {
    let world = try ScriptedWorld(
      level: #"{"source": {"kind": "counter", "interval": 0.002, "while": "connected"}}"#,
      device: #"""
        {"serviceChanges": {"whileConnected": true, "schedule": [
          {"after": 0.05, "show": ["180A"]}, {"after": 0.05, "hide": ["180F"]}]}}
        """#, information: #"{"isHidden": true}"#)
    for _ in 0..<2 {
      let battery = world.handle()
      #expect(battery != 0)
      world.radio.connect(world.device)
      // One that comes, and one that goes.
      #expect(await eventually { world.changes.count == 2 })
      #expect(world.changes.first == [] && world.changes.last?.count == 1)
      #expect(try await services(world) == ["180A"])
      #expect(await world.read(ScriptedWorld.name) == Array("A".utf8))
      #expect(await world.world.read(battery, world.device) == .failure(.attribute(0x01)))
      world.radio.disconnect(world.device)
      #expect(await eventually { world.world.events.contains(.disconnected(world.device, nil)) })
      _ = world.world.takeEvents()
    }
  }

  // MARK: Faults of the file

  /// The same world behind its faults.
  private func faulty(_ configuration: MockConfiguration) -> (FaultRadio, Listener) {
    let radio = FaultRadio(VirtualRadio(configuration: configuration))
    let listener = Listener()
    radio.observer = listener
    radio.start()
    return (radio, listener)
  }

  @Test func readsFailByTheRateAndSeedOfTheFile() async throws {
    func run(seed: Int) async throws -> [Bool] {
      let configuration = try ScriptedWorld.configuration(
        device: #"{"readWriteErrorRate": 0.5, "seed": \#(seed)}"#)
      let device = configuration.devices[0].id
      let (radio, listener) = faulty(configuration)
      radio.connect(device)
      #expect(await eventually { listener.connected == 1 })
      let table: Result<GATTDatabase, BluetoothError> = await result {
        radio.discoverServices(of: device, completion: $0)
      }
      let handle = try table.get().services[0].characteristics[0].handle
      var outcomes: [Bool] = []
      for _ in 0..<40 {
        let value: Result<[UInt8], BluetoothError> = await result { radio.read(handle, of: device, completion: $0) }
        if case .failure(let error) = value { #expect(error == .attribute(0x0E)) }
        outcomes.append((try? value.get()) != nil)
      }
      return outcomes
    }
    let outcomes = try await run(seed: 1)
    #expect(Set(outcomes).count == 2)
    #expect(try await run(seed: 1) == outcomes)
    #expect(try await run(seed: 2) != outcomes)
  }

  @Test func connectsFailWithTheErrorOfTheFileUntilAnotherIsServed() async throws {
    let failing = try ScriptedWorld.configuration(device: #"{"connectionError": 11}"#)
    let device = failing.devices[0].id
    let virtual = VirtualRadio(configuration: failing)
    let radio = FaultRadio(virtual)
    let listener = Listener()
    radio.observer = listener
    radio.start()
    radio.connect(device)
    #expect(await eventually { listener.failures == [.connectionLimitReached] })
    virtual.configuration = try ScriptedWorld.configuration()
    radio.connect(device)
    #expect(await eventually { listener.connected == 1 })
  }

  @Test func theWorldsDelaysAndTheRadiosStartTakeTheirTime() async throws {
    let configuration = try ScriptedWorld.configuration(
      world: #"{"stateUpdateDelay": 0.05, "connectionDelay": 0.05}"#)
    let begin = ContinuousClock.now
    let (radio, listener) = faulty(configuration)
    #expect(radio.state == .unknown)
    #expect(await eventually { radio.state == .poweredOn })
    radio.connect(configuration.devices[0].id)
    #expect(await eventually { listener.connected == 1 })
    #expect(ContinuousClock.now - begin >= .milliseconds(100))
  }

  @Test func aLinkDropsAfterItsTimeWithTheErrorOfTheFile() async throws {
    let configuration = try ScriptedWorld.configuration(
      device: #"{"disconnectionError": 6, "faults": [{"operation": "link", "drop": true, "delay": 0.02}]}"#)
    let (radio, listener) = faulty(configuration)
    radio.connect(configuration.devices[0].id)
    #expect(await eventually { listener.ends == [.connectionTimeout] })
  }

  // MARK: Changing the configuration

  @Test func anotherConfigurationReplacesWhatRuns() async throws {
    let world = try ScriptedWorld(level: #"{"source": {"kind": "counter", "interval": 0.002}}"#)
    await world.connect()
    await world.subscribe()
    _ = await world.values(2)
    world.radio.configuration = try ScriptedWorld.configuration(
      level: #"{"source": {"kind": "list", "values": ["/w=="], "interval": 0.002}}"#)
    #expect(await eventually { world.values.last == [255] })
    world.radio.configuration = try ScriptedWorld.configuration()
    await turns()
    let count = world.values.count
    await pass(.milliseconds(20))
    #expect(world.values.count == count)
  }
}

/// Counts what links do.
@BridgeQueue
private final class Listener: RadioObserver {
  var connected = 0
  var failures: [BluetoothError] = []
  var ends: [BluetoothError?] = []

  func radioDidUpdateState(_ radio: any Radio) {}
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {}
  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) { connected += 1 }
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    failures.append(error)
  }
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    ends.append(error)
  }
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier) {}
  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) {}
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {}
}
