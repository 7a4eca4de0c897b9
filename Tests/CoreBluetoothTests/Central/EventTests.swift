import BridgeProtocol
import CoreBluetooth
import Testing

/// Connections that others make.
@Suite struct EventTests {
  @Test("EVT-1, EVT-3: Connections of others are told and connect nothing; EVT-2: nil ends it")
  func evt() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.registerForConnectionEvents(options: [
      .serviceUUIDs: [CBUUID(string: "180F")], .peripheralUUIDs: [UUID(uuidString: PeripheralIdentifier.meter.text)!],
    ])
    guard case .registerForConnectionEvents(let request)? = await fixture.provider.next() else {
      throw Recorder.NothingCame()
    }
    #expect(
      request.options == [
        "kCBConnectionEventMatchingOptionServiceUUIDs": .array([.string("180F")]),
        "kCBConnectionEventMatchingOptionPeripheralUUIDs": .array([.string(PeripheralIdentifier.meter.text)]),
      ])
    await fixture.provider.send(.connectionEvent(ConnectionEvent(id: .meter, isConnected: true, name: "Pen")))
    let event = try await fixture.recorder.next(.connectionEvent)
    #expect(event.connectionEvent == .peerConnected)
    #expect(event.peripheralState == .disconnected)
    #expect(event.peripheral?.name == "Pen", "it has never advertised")
    fixture.central.registerForConnectionEvents(options: nil)
    #expect(
      await fixture.provider.next() == .registerForConnectionEvents(RegisterForConnectionEvents(options: [:])))
  }

  @Test("EVT-2: No more than four services count")
  func evt2() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.registerForConnectionEvents(options: [
      .serviceUUIDs: (1...5).map { CBUUID(string: "180\($0)") }
    ])
    guard case .registerForConnectionEvents(let request)? = await fixture.provider.next() else {
      throw Recorder.NothingCame()
    }
    #expect(request.options["kCBConnectionEventMatchingOptionServiceUUIDs"]?.arrayValue?.count == 4)
  }

  @Test("EVT-1: A service that comes back is asked again")
  func evt1again() async throws {
    let fixture = try await CentralFixture.on()
    fixture.central.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
    _ = await fixture.provider.next()
    await fixture.provider.hangUp()
    #expect(await fixture.provider.next()?.type == "registerForConnectionEvents")
  }

  @Test("EVT-4: ANCS is not authorised")
  func evt4() async throws {
    let fixture = try await CentralFixture.on()
    #expect(try await fixture.discovered().ancsAuthorized == false)
  }
}
