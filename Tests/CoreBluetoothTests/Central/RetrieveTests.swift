import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

@Suite struct RetrieveTests {
  private let meter = UUID(uuidString: PeripheralIdentifier.meter.text)!
  private let beacon = UUID(uuidString: PeripheralIdentifier.beacon.text)!

  /// Answers the next question with the meter.
  private func answer(_ fixture: CentralFixture) -> Task<RetrievePeripherals?, Never> {
    let provider = fixture.provider
    return Task {
      guard case .retrievePeripherals(let request)? = await provider.next("retrievePeripherals") else { return nil }
      await provider.send(
        .didRetrievePeripherals(
          DidRetrievePeripherals(
            requestId: request.requestId, peripherals: [RetrievedPeripheral(id: .meter, name: "Meter")])))
      return request
    }
  }

  @Test("RETR-1: Known devices are given at once and can be connected without a scan")
  func retr1() async throws {
    let fixture = try await CentralFixture.on()
    let asked = answer(fixture)
    let found = await fixture.blocking { $0.retrievePeripherals(withIdentifiers: [self.meter, self.beacon]) }
    #expect(await asked.value?.peripheralIds == [.meter, .beacon])
    #expect(found.map(\.identifier) == [meter])
    #expect(found.first?.name == "Meter")
    try await fixture.connect(found[0])
  }

  @Test("RETR-2, RETR-3: Connected devices are found by service, disconnected for this app")
  func retr2() async throws {
    let fixture = try await CentralFixture.on()
    #expect(fixture.central.retrieveConnectedPeripherals(withServices: []) == [])
    let asked = answer(fixture)
    let found = await fixture.blocking {
      $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")])
    }
    #expect(await asked.value?.connectedWithServices == [BluetoothUUID(short: 0x180F)])
    #expect(found.map(\.state) == [.disconnected])
  }

  @Test("QUEUE-9: A retrieved device is the object that the app has")
  func queue9() async throws {
    let fixture = try await CentralFixture.on()
    let peripheral = try await fixture.discovered()
    let asked = answer(fixture)
    let found = await fixture.blocking { $0.retrievePeripherals(withIdentifiers: [self.meter]) }
    #expect(found.first === peripheral)
    _ = await asked.value
  }

  @Test("RETR-1: A provider that cannot be asked leaves what this app has seen")
  func retr1others() async throws {
    let fixture = try await CentralFixture.on(ScriptedProvider(features: nil))
    let peripheral = try await fixture.connected()
    let found = await fixture.blocking { $0.retrievePeripherals(withIdentifiers: [self.beacon, self.meter]) }
    #expect(found == [peripheral])
    let connected = await fixture.blocking {
      $0.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")])
    }
    #expect(connected == [peripheral])
  }

  @Test("RETR-1: Who waits for an answer is let go when the service goes")
  func retr1lost() async throws {
    let fixture = try await CentralFixture.on()
    let provider = fixture.provider
    let going = Task {
      _ = await provider.next("retrievePeripherals")
      await provider.hangUp()
    }
    let found = await fixture.blocking { $0.retrievePeripherals(withIdentifiers: [self.meter]) }
    #expect(found == [])
    await going.value
  }
}

extension CentralFixture {
  /// Runs a call that blocks on a thread that may.
  func blocking(_ call: @escaping @Sendable (CBCentralManager) -> [CBPeripheral]) async -> [CBPeripheral] {
    let central = Held(central!)
    return await withCheckedContinuation { (continuation: CheckedContinuation<Held<[CBPeripheral]>, Never>) in
      DispatchQueue(label: "blocking").async { continuation.resume(returning: Held(call(central.object))) }
    }.object
  }
}
