import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

/// Each stock configuration, walked through by a client of a service that serves it.
@Suite @BridgeQueue struct StockWalkTests {
  @Test(arguments: MockConfiguration.stock)
  func aClientFindsAllThatTheConfigurationSays(_ configuration: MockConfiguration) async throws {
    let service = try WorldService(configuration)
    let client = try LineClient(path: service.path)
    client.send(.scan(Scan(services: [], allowDuplicates: false)))
    var reports: [PeripheralIdentifier: DidDiscover] = [:]
    for _ in configuration.devices {
      guard case .didDiscover(let report)? = try await client.next() else { return unexpected() }
      reports[report.id] = report
    }
    client.send(.stopScan(StopScan()))
    for device in configuration.devices {
      let report = try #require(reports[device.id])
      #expect(report.name == device.name && report.rssi == device.rssi)
      #expect(report.advertisement.serviceUUIDs == device.advertisedServiceUUIDs)
      #expect(report.advertisement.manufacturerData == device.manufacturerData)
      #expect(report.advertisement.isConnectable == device.isConnectable)
      try await Walk(device, client, service).run()
    }
    await service.stop()
  }
}

/// One device, from connect to cancel.
@BridgeQueue
private final class Walk {
  private let device: MockDevice
  private let client: LineClient
  private let service: WorldService
  private var id: PeripheralIdentifier { device.id }

  init(_ device: MockDevice, _ client: LineClient, _ service: WorldService) {
    self.device = device
    self.client = client
    self.service = service
  }

  func run() async throws {
    client.send(.connect(Connect(id: id)))
    guard device.isConnectable else {
      guard case .didFailConnect? = try await client.next() else { return unexpected() }
      return
    }
    guard case .didConnect? = try await client.next() else { return unexpected() }
    client.send(.discoverServices(DiscoverServices(id: id, services: [])))
    guard case .didDiscoverServices(let found)? = try await client.next() else { return unexpected() }
    // Generic Access is not shown.
    let expected = device.services.filter { $0.uuid != BluetoothUUID(short: 0x1800) }
    #expect(found.services.map(\.uuid) == expected.map(\.uuid) && found.services.allSatisfy(\.isPrimary))
    for (found, expected) in zip(found.services, expected) { try await walk(found, expected) }
    client.send(.cancel(Cancel(id: id)))
    guard case .didDisconnect(let end)? = try await client.next() else { return unexpected() }
    #expect(end.error == nil)
  }

  private func walk(_ found: DiscoveredService, _ expected: MockService) async throws {
    client.send(
      .discoverCharacteristics(DiscoverCharacteristics(id: id, serviceId: found.id, characteristics: [])))
    guard case .didDiscoverCharacteristics(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.characteristics.map(\.uuid) == expected.characteristics.map(\.uuid))
    for (found, expected) in zip(reply.characteristics, expected.characteristics) {
      #expect(found.properties == expected.properties)
      try await readAndWrite(found.id, expected)
      try await subscribe(found.id, expected)
      try await readDescriptors(of: found.id, expected)
    }
  }

  private func read(_ attribute: String) async throws -> DidUpdateValue? {
    client.send(.read(ReadCharacteristic(id: id, characteristicId: attribute)))
    guard case .didUpdateValue(let reply)? = try await client.next() else {
      unexpected()
      return nil
    }
    return reply
  }

  private func readAndWrite(_ attribute: String, _ expected: MockCharacteristic) async throws {
    let canRead = expected.properties.contains(.read)
    var reply = try await read(attribute)
    #expect(reply?.value == (canRead ? expected.value : []))
    #expect(reply?.error == (canRead ? nil : .attribute(0x02)))
    client.send(
      .write(WriteCharacteristic(id: id, characteristicId: attribute, value: [1, 2], writeType: .withResponse)))
    guard case .didWriteValue(let written)? = try await client.next() else { return unexpected() }
    #expect(written.error == (expected.properties.contains(.write) ? nil : .attribute(0x03)))
    guard canRead, expected.properties.contains(.write) else { return }
    reply = try await read(attribute)
    #expect(reply?.value == [1, 2])
  }

  private func subscribe(_ attribute: String, _ expected: MockCharacteristic) async throws {
    client.send(.setNotify(SetNotify(id: id, characteristicId: attribute, enabled: true)))
    guard case .didUpdateNotification(let reply)? = try await client.next() else { return unexpected() }
    guard !expected.properties.isDisjoint(with: [.notify, .indicate]) else {
      #expect(!reply.enabled && reply.error != nil)
      return
    }
    #expect(reply.enabled && reply.error == nil)
    let attributes = service.radio.attributes(of: id)
    let own = try #require(attributes.first { !$0.isDescriptor && attribute.hasSuffix(":\($0.uuid):\($0.handle)") })
    service.radio.notify([7, 8, 9], characteristic: own.handle, of: id)
    guard case .didUpdateValue(let update)? = try await client.next() else { return unexpected() }
    #expect(update.value == [7, 8, 9] && update.characteristicId == attribute)
  }

  private func readDescriptors(of attribute: String, _ expected: MockCharacteristic) async throws {
    client.send(.discoverDescriptors(DiscoverDescriptors(id: id, characteristicId: attribute)))
    guard case .didDiscoverDescriptors(let reply)? = try await client.next() else { return unexpected() }
    #expect(reply.descriptors.map(\.uuid) == expected.descriptors.map(\.uuid))
    for (found, expected) in zip(reply.descriptors, expected.descriptors) {
      client.send(.readDescriptor(ReadDescriptor(id: id, descriptorId: found.id)))
      guard case .didUpdateDescriptorValue(let reply)? = try await client.next() else { return unexpected() }
      switch reply.value {
      case .text(let text): #expect(Array(text.utf8) == expected.value)
      case .number(let number): #expect(number == 1 || number == 2)
      default: Issue.record("a descriptor of another kind")
      }
    }
  }
}

/// Fails the test: something else came than what it waited for.
func unexpected() { Issue.record("another message came, or none") }
