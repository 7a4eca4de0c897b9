import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

/// Statements that hold for every peripheral, tried on random ones.
@Suite @BridgeQueue struct PeripheralPropertyTests {
  private nonisolated static let seeds = 0..<16

  private func device(_ random: inout SplitMix64) -> MockDevice {
    var device = MockDevice(id: .bench, name: "Bench")
    device.mtu = [23, 24, 100, 185, 517][random.index(5)]
    for _ in 0...random.index(3) {
      var service = MockService(uuid: BluetoothUUID(short: 0xFF00 + UInt32(random.index(4))))
      for _ in 0..<random.index(6) { service.characteristics.append(characteristic(&random)) }
      device.services.append(service)
    }
    return device
  }

  private func characteristic(_ random: inout SplitMix64) -> MockCharacteristic {
    var properties: CharacteristicProperties = []
    for property in [CharacteristicProperties.read, .write, .writeWithoutResponse, .notify, .indicate]
    where random.index(2) == 0 { properties.insert(property) }
    var characteristic = MockCharacteristic(
      uuid: BluetoothUUID(short: 0x2A00 + UInt32(random.index(8))), properties: properties,
      value: bytes([0, 1, 19, 20, 22, 182, 512][random.index(7)], &random))
    characteristic.maximumLength = [1, 20, 512][random.index(3)]
    if random.index(2) == 0 { characteristic.descriptors.append(MockDescriptor(uuid: BluetoothUUID(short: 0x2901))) }
    return characteristic
  }

  private func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Each characteristic of a random device with what the configuration says of it.
  private func forEach(
    _ seed: Int,
    _ body: @BridgeQueue (VirtualWorld, GATTCharacteristic, MockCharacteristic, inout SplitMix64) async -> Void
  ) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<4 {
      let device = device(&random)
      let world = VirtualWorld(device)
      await world.connect(.bench)
      let services = try await world.discover(.bench).get().services
      for (found, service) in zip(services, device.services) {
        for (characteristic, configured) in zip(found.characteristics, service.characteristics) {
          await body(world, characteristic, configured, &random)
        }
      }
    }
  }

  @Test(
    "DISC-2, DISC-5, DISC-6, DISC-7: everything is listed in handle order, with one 2902 where there are values to come",
    arguments: seeds)
  func listing(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let device = device(&random)
    let world = VirtualWorld(device)
    await world.connect(.bench)
    let services = try await world.discover(.bench).get().services
    #expect(services.map(\.uuid) == device.services.map(\.uuid))
    var handles: [AttributeHandle] = []
    for (service, configured) in zip(services, device.services) {
      handles.append(service.handle)
      #expect(service.characteristics.map(\.uuid) == configured.characteristics.map(\.uuid))
      for characteristic in service.characteristics {
        handles += [characteristic.handle] + characteristic.descriptors.map(\.handle)
        let count = characteristic.descriptors.count { $0.uuid == BluetoothUUID(short: 0x2902) }
        #expect(count == (characteristic.properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1))
      }
    }
    #expect(handles == handles.sorted() && Set(handles).count == handles.count)
  }

  @Test("GATT-1, GATT-2, GATT-4, GATT-13: each read gives the whole value, in order, or ATT 2", arguments: seeds)
  func reading(seed: Int) async throws {
    try await forEach(seed) { world, found, configured, _ in
      var answers: [Result<[UInt8], BluetoothError>] = []
      for _ in 0..<3 { world.radio.read(found.handle, of: .bench) { answers.append($0) } }
      #expect(answers.isEmpty)
      let last = await world.read(found.handle, .bench)
      let expected: Result<[UInt8], BluetoothError> =
        configured.properties.contains(.read) ? .success(configured.value ?? []) : .failure(.attribute(0x02))
      #expect(answers == [expected, expected, expected] && last == expected)
    }
  }

  @Test(
    "GATT-6, GATT-7, GATT-10: a write is taken whole, or refused with ATT 3 or 13 and changes nothing",
    arguments: seeds)
  func writing(seed: Int) async throws {
    try await forEach(seed) { world, found, configured, random in
      let value = bytes([0, 1, 2, 20, 21, 300, 512, 513][random.index(8)], &random)
      let withResponse = random.index(2) == 0
      let error =
        withResponse
        ? await world.write(value, found.handle, .bench) : await world.command(value, found.handle, .bench)
      let needed: CharacteristicProperties = withResponse ? .write : .writeWithoutResponse
      let limit = configured.maximumLength
      if !configured.properties.contains(needed) {
        #expect(error == .attribute(0x03))
      } else if value.count > limit {
        #expect(error == .attribute(0x0D))
      } else if withResponse {
        #expect(error == nil)
      }
      guard configured.properties.contains(.read) else { return }
      let expected = error == nil ? value : configured.value ?? []
      #expect(await world.read(found.handle, .bench) == .success(expected))
    }
  }

  @Test(
    "GATT-20, GATT-21, GATT-24, GATT-25, GATT-27, GATT-28, DESC-5: values come while somebody is subscribed",
    arguments: seeds)
  func notifying(seed: Int) async throws {
    try await forEach(seed) { world, found, configured, random in
      let value = bytes([0, 20, 21, 400][random.index(4)], &random)
      let cut = Array(value.prefix(world.radio.maximumWriteLength(of: .bench)))
      @BridgeQueue func heard() async -> [VirtualWorld.Event] {
        for _ in 0..<2 { world.radio.notify(value, characteristic: found.handle, of: .bench) }
        await turns()
        return world.takeEvents()
      }
      #expect(await heard() == [])
      let error = await world.setNotify(true, found.handle, .bench)
      guard !configured.properties.isDisjoint(with: [.notify, .indicate]) else {
        #expect(error == .attribute(0x06))
        return
      }
      #expect(error == nil)
      let configuration = found.descriptors.first { $0.uuid == BluetoothUUID(short: 0x2902) }?.handle ?? 0
      let kind: UInt8 = configured.properties.contains(.notify) ? 1 : 2
      #expect(await world.read(configuration, .bench) == .success([kind, 0]))
      #expect(await heard() == [.notified(cut, found.handle), .notified(cut, found.handle)])
      if random.index(2) == 0 {
        #expect(await world.setNotify(false, found.handle, .bench) == nil)
      } else {
        world.radio.disconnect(.bench)
        await turns()
        await world.connect(.bench)
      }
      #expect(await heard() == [])
      #expect(await world.read(configuration, .bench) == .success([0, 0]))
    }
  }

  @Test(
    "CONN-8, CONN-14, CONN-23: the end of the link answers what waits, and nothing works after it", arguments: seeds)
  func ending(seed: Int) async throws {
    try await forEach(seed) { world, found, _, _ in
      var answers: [BluetoothError?] = []
      let script = world.radio
      for _ in 0..<5 { script.read(found.handle, of: .bench) { answers.append($0.error) } }
      script.disconnect(.bench)
      await turns()
      #expect(answers.count == 5)
      #expect(world.takeEvents().last == .disconnected(.bench, nil))
      #expect(await world.read(found.handle, .bench) == .failure(.notConnected))
      await world.connect(.bench)
    }
  }
}

extension SplitMix64 {
  /// From 0 to one less than `count`.
  fileprivate mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
