import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct NameTests {
  @Test("NAME-1: The identifier is the service's")
  func name1() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    #expect(peripheral.identifier == UUID(uuidString: PeripheralIdentifier.meter.text))
  }

  @Test("NAME-2: Before a connection the name is the advertised one")
  func name2() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered(name: "")
    #expect(peripheral.name == "Meter")
  }

  @Test("NAME-3: The service's name counts before the advertised one")
  func name3() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered(name: "Bench Meter")
    #expect(peripheral.name == "Bench Meter")
  }

  @Test("NAME-4: A change of the name is told, by itself or in a discovery")
  func name4() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered(name: "A")
    peripheral.delegate = fixture.recorder
    await fixture.provider.send([
      .didUpdateName(DidUpdateName(id: .meter, name: "B")), .didUpdateName(DidUpdateName(id: .meter, name: "B")),
    ])
    #expect(try await fixture.recorder.next(.didUpdateName).peripheral === peripheral)
    #expect(peripheral.name == "B")
    fixture.central.scanForPeripherals(withServices: nil)
    _ = await fixture.provider.next("scan")
    await fixture.provider.send(.didDiscover(DidDiscover(id: .meter, name: "C", rssi: -1, advertisement: .meter)))
    #expect(try await fixture.eventsSoFar() == [.didUpdateName, .didDiscover])
    #expect(peripheral.name == "C")
  }

  @Test("NAME-5: The RSSI of a connected peripheral is told once, or why not; of another it is not asked")
  func name5() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    peripheral.delegate = fixture.recorder
    peripheral.readRSSI()
    #expect(await fixture.requestsSoFar() == [])
    try await fixture.connect(peripheral)
    peripheral.readRSSI()
    #expect(await fixture.requestsSoFar() == ["readRSSI"])
    await fixture.provider.send([
      .didReadRSSI(DidReadRSSI(id: .meter, rssi: -61)),
      .didReadRSSI(DidReadRSSI(id: .meter, rssi: 127, error: .operationNotSupported)),
    ])
    #expect(try await fixture.recorder.next(.didReadRSSI).number == -61)
    let failure = try await fixture.recorder.next(.didReadRSSI)
    #expect((failure.error as? CBError)?.code == .operationNotSupported)
  }

  @Test("NAME-6: The deprecated RSSI stays nil, and is not told")
  func name6() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.connected()
    let delegate = OldDelegate()
    peripheral.delegate = delegate
    peripheral.readRSSI()
    await fixture.provider.send(.didReadRSSI(DidReadRSSI(id: .meter, rssi: -61)))
    #expect(try await fixture.eventsSoFar() == [])
    #expect(delegate.calls == ["didReadRSSI"])
    #expect((peripheral as any HavingRSSI).rssi == nil)
  }
}

/// Not deprecated, unlike the property itself.
private protocol HavingRSSI {
  var rssi: NSNumber? { get }
}

extension CBPeripheral: HavingRSSI {}

private final class OldDelegate: NSObject, CBPeripheralDelegate {
  private(set) var calls: [String] = []

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
    calls.append("didReadRSSI")
  }

  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {
    calls.append("peripheralDidUpdateRSSI")
  }
}
