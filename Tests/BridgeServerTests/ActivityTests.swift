import BridgeIO
import BridgeProtocol
import BridgeServer
import Glibc
import Radio
import TestSupport
import Testing

/// The record of traffic.
@Suite @BridgeQueue struct ActivityTests {
  private func devices(_ client: LineClient, watch: Bool = false) async throws -> [DeviceActivity] {
    client.send(.devices(Devices(watch: watch)))
    guard case .didReportDevices(let report)? = try await client.next() else { return [] }
    return report.devices
  }

  private func observer(_ service: ServiceFixture) async throws -> LineClient {
    let client = try service.controlClient()
    client.hello("bridge", pid: 1, features: .control)
    _ = try await client.next("welcome")
    return client
  }

  private func read(_ id: String = Meter.currentID) -> ClientMessage {
    .read(ReadCharacteristic(id: .meter, characteristicId: id))
  }

  /// One of everything that counts and of much that does not.
  private func exercise(_ service: ServiceFixture, _ client: LineClient) async throws {
    client.send(.scan(Scan()))
    client.send(.discoverServices(DiscoverServices(id: .meter)))
    client.send(.readRSSI(ReadRSSI(id: .meter)))
    client.send(read("\(Meter.serviceID):2A00:99"))
    client.send(read())
    client.send(read())
    client.send(read("\(Meter.serviceID):\(BluetoothUUID.vendor(0x23)):28"))
    client.send(.setNotify(SetNotify(id: .meter, characteristicId: Meter.currentID, enabled: true)))
    for type in [WriteCharacteristic.WriteType.withResponse, .withoutResponse] {
      client.send(
        .write(WriteCharacteristic(id: .meter, characteristicId: Meter.controlID, value: [1, 2, 3], writeType: type)))
    }
    client.send(.readDescriptor(ReadDescriptor(id: .meter, descriptorId: "\(Meter.currentID):2901:24")))
    _ = try await client.next("didUpdateDescriptorValue")
    service.radio.notify([1, 2, 3, 4], Meter.current, of: .meter)
    _ = try await client.next("didUpdateValue")
  }

  @Test func operationsAreCountedAndTheRecordOutlivesTheClient() async throws {
    let service = try ServiceFixture()
    let watcher = try await observer(service)
    let client = try await service.connectedClient()
    #expect(try await devices(watcher).isEmpty)
    try await exercise(service, client)
    client.close()
    #expect(await eventually { service.server.clientCount == 1 })
    let record = try await devices(watcher)
    #expect(record.count == 1)
    let device = try #require(record.first)
    #expect(device.id == .meter)
    #expect(device.name == "Bench Meter")
    #expect(device.address == "C0:00:00:00:00:01")
    #expect(device.operations == ["Read": 3, "Write": 2, "Subscribe": 1, "Read descriptor": 1])
    #expect(device.count == 7)
    #expect(device.notifications == 1)
    #expect(device.bytesWritten == 6)
    #expect(device.bytesRead == 2 + 2 + 13 + 4)
    #expect(device.lastOperation == "Read descriptor" && device.lastDetail == "2901")
    #expect(device.isActive)
    #expect(device.firstAt > 1_600_000_000 && device.firstAt <= device.lastAt)
    #expect(device.clients == [ActivityClient(bundleId: "example.app", pid: 4711)])
    await service.stop()
  }

  @Test func devicesThatComeAndGoDoNotFillTheMemory() async throws {
    let service = try ServiceFixture()
    let watcher = try await observer(service)
    let client = try await service.connectedClient()
    for number in 1...10_000 as ClosedRange<UInt64> {
      let id = PeripheralIdentifier(high: 7, low: number)
      service.radio.devices[id] = ScriptedRadio.Device(name: "Passing")
      client.send(.connect(Connect(id: id)))
      _ = try await client.next("didConnect")
      client.send(.openL2CAP(OpenL2CAP(id: id, psm: 0)))
      client.send(.cancel(Cancel(id: id)))
      _ = try await client.next("didDisconnect")
      service.radio.devices[id] = nil
    }
    client.send(read())
    _ = try await client.next("didUpdateValue")
    let record = try await devices(watcher)
    #expect(record.count <= 4096 && record.first?.id == .meter)
    await service.stop()
  }

  @Test func appsAreNotToldOfOthers() async throws {
    let service = try ServiceFixture()
    let app = try await service.connectedClient()
    app.send(.status(Status()))
    app.send(.devices(Devices(watch: true)))
    app.send(.readRSSI(ReadRSSI(id: .meter)))
    #expect(try await app.next()?.type == "didReadRSSI")
    await service.stop()
  }

  @Test func aChannelsTrafficCounts() async throws {
    let service = try ServiceFixture()
    let channel = ScriptedChannel(psm: 192)
    service.radio.onOpenL2CAP = { _, completion in BridgeQueue.async { completion(.success(channel)) } }
    let client = try await service.connectedClient()
    client.send(.openL2CAP(OpenL2CAP(id: .meter, psm: 192)))
    guard case .didOpenL2CAP(let reply)? = try await client.next() else { return unexpected() }
    client.send(.l2capWrite(L2CAPWrite(channelId: reply.channelId, value: [1, 2, 3])))
    #expect(await eventually { channel.sent == [1, 2, 3] })
    channel.receive([9])
    _ = try await client.next("l2capData")
    client.send(.l2capClose(L2CAPClose(channelId: reply.channelId)))
    _ = try await client.next("l2capClosed")
    let device = try #require(try await devices(try await observer(service)).first)
    #expect(device.operations == ["Open L2CAP": 1, "L2CAP write": 1, "L2CAP read": 1, "L2CAP close": 1])
    #expect(device.bytesRead == 1 && device.bytesWritten == 3)
    #expect(device.lastDetail == "PSM 192")
    await service.stop()
  }

  @Test func theStatusNamesTheLatestOperation() async throws {
    let service = try ServiceFixture()
    let watcher = try await observer(service)
    let client = try await service.connectedClient()
    client.send(read())
    _ = try await client.next("didUpdateValue")
    watcher.send(.status(Status()))
    guard case .didReportStatus(let status)? = try await watcher.next() else { return unexpected() }
    #expect(status.lastActivity == "Bench Meter: Read \(BluetoothUUID.vendor(0x21).text)")
    #expect(status.trafficActive)
    #expect(status.clients.contains { $0.connectedPeripherals == [.meter] && $0.pid == 4711 })
    await service.stop()
  }

  @Test func watchersAreToldOfChangesAndOfTheEndOfActivity() async throws {
    let service = try ServiceFixture {
      $0.limits.activityDuration = .milliseconds(1500)
      $0.limits.watchInterval = .milliseconds(10)
    }
    let watcher = try await observer(service)
    let client = try await service.connectedClient()
    #expect(try await devices(watcher, watch: true).isEmpty)
    client.send(read())
    var reports: [Bool] = []
    while reports.last != false {
      guard case .didReportDevices(let change)? = try await watcher.next() else { return unexpected() }
      #expect(change.devices.count == 1)
      reports.append(change.devices[0].isActive)
    }
    // One for the read and its end at most; on a slow machine the activity may be over before it is told.
    #expect(reports.count <= 3)
    await service.stop()
  }

  @Test func theLogHasALineForEachOperationWithItsResult() async throws {
    let folder = TemporaryFolder()
    let service = try ServiceFixture { $0.activityLogPath = folder.file("log") }
    let client = try await service.connectedClient()
    try await exercise(service, client)
    rename(folder.file("log"), folder.file("log.1"))
    service.server.reopenLogs()
    client.send(read())
    _ = try await client.next("didUpdateValue")
    await service.stop()
    let text = (folder.read("log.1") ?? "") + (folder.read("log") ?? "")
    let lines = try text.split(separator: "\n").map { try JSONValue(json: Array($0.utf8)) }
    #expect(lines.count == 8)
    #expect(lines.allSatisfy { $0["duration"]?.doubleValue.map { $0 >= 0 && $0 < 10 } == true })
    #expect(lines.allSatisfy { $0["bundleId"] == .string("example.app") && $0["pid"] == .integer(4711) })
    #expect(lines.allSatisfy { $0["id"] == .string(PeripheralIdentifier.meter.text) })
    #expect(lines.count { $0["result"] == .string("ok") } == 7)
    let failed = try #require(lines.first { $0["result"] == .string("error") })
    #expect(failed["errorDomain"] == .string("CBATTErrorDomain") && failed["errorCode"] == .integer(15))
    #expect(lines.filter { $0["operation"] == .string("Write") }.allSatisfy { $0["bytesWritten"] == .integer(3) })
  }
}
