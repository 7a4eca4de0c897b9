import BridgeIO
import BridgeProtocol
import MockBackend
import Radio
import TestSupport
import Testing

@testable import BridgeCommands

@Suite @BridgeQueue struct CaptureTests {
  private static let lamp = PeripheralIdentifier(high: 1, low: 1)

  /// Two services, the second included in the first; a value that can be read, one that must not, descriptors.
  private static var table: GATTDatabase {
    GATTDatabase(services: [
      GATTService(
        handle: 10, uuid: BluetoothUUID(short: 0x180F), isPrimary: true, includedServices: [20],
        characteristics: [
          GATTCharacteristic(
            handle: 11, uuid: BluetoothUUID(short: 0x2A19), properties: [.read, .notify],
            descriptors: [
              GATTDescriptor(handle: 13, uuid: BluetoothUUID(short: 0x2902)),
              GATTDescriptor(handle: 14, uuid: BluetoothUUID(short: 0x2901)),
            ]),
          GATTCharacteristic(handle: 15, uuid: BluetoothUUID(short: 0x2A07), properties: .read),
        ]),
      GATTService(
        handle: 20, uuid: BluetoothUUID(short: 0xFFF0), isPrimary: false,
        characteristics: [
          GATTCharacteristic(handle: 21, uuid: BluetoothUUID(short: 0xFFF1), properties: .write)
        ]),
    ])
  }

  private func radio() -> ScriptedRadio {
    let radio = ScriptedRadio()
    var device = ScriptedRadio.Device(name: "Lamp", database: Self.table)
    device.values = [
      11: .success([90]), 13: .success([1, 0]), 14: .success(Array("Größe".utf8)), 15: .failure(.attribute(0x0F)),
    ]
    radio.devices[Self.lamp] = device
    radio.writeLength = 182
    return radio
  }

  /// While the scan is on: the lamp, its scan response apart.
  private func advertise(_ radio: ScriptedRadio, isConnectable: Bool = true) async {
    _ = await eventually { radio.commands.contains(.scan(RadioScan(allowDuplicates: true))) }
    radio.advertise(
      Self.lamp,
      AdvertisementData(
        localName: "Lamp", isConnectable: isConnectable, serviceUUIDs: [BluetoothUUID(short: 0x180F)],
        serviceData: [BluetoothUUID(short: 0x181A): [7]]), rssi: -70)
    radio.advertise(
      Self.lamp,
      AdvertisementData(
        isConnectable: isConnectable, overflowServiceUUIDs: [BluetoothUUID(short: 0x1111)],
        solicitedServiceUUIDs: [BluetoothUUID(short: 0x2222)], manufacturerData: [0x4C, 0, 1], txPowerLevel: 4),
      rssi: 127, revision: 2)
  }

  private func capture(
    _ radio: ScriptedRadio, isConnectable: Bool = true, _ configure: (inout CaptureSettings) -> Void = { _ in }
  ) async throws -> MockDevice? {
    let fixture = try CaptureFixture(radio)
    async let advertised: Void = advertise(radio, isConnectable: isConnectable)
    let result = try await fixture.capture { settings in
      settings.limits = InspectionLimits(
        connect: .milliseconds(200), discovery: .milliseconds(200), read: .milliseconds(200),
        disconnect: .seconds(20))
      configure(&settings)
    }
    await advertised
    await fixture.stop()
    #expect(result.status == .success)
    #expect(result.configuration?.name == "Captured")
    return result.configuration?.devices.first
  }

  @Test func everythingOfADeviceIsCaptured() async throws {
    let radio = radio()
    let device = try #require(try await capture(radio))
    #expect(device.id == Self.lamp && device.name == "Lamp" && device.rssi == -70 && device.isConnectable)
    #expect(device.localName == nil)
    #expect(device.advertisedServiceUUIDs == [BluetoothUUID(short: 0x180F)])
    #expect(device.manufacturerData == [0x4C, 0, 1] && device.txPower == 4)
    #expect(device.serviceData == [BluetoothUUID(short: 0x181A): [7]])
    #expect(device.overflowServiceUUIDs == [BluetoothUUID(short: 0x1111)])
    #expect(device.solicitedServiceUUIDs == [BluetoothUUID(short: 0x2222)])
    #expect(device.mtu == 185)
    #expect(device.services.map(\.uuid) == [BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0xFFF0)])
    #expect(device.services.map(\.isPrimary) == [true, false])
    #expect(device.services[0].includedServices == [device.services[1].id])
    let battery = device.services[0].characteristics[0]
    #expect(battery.value == [90] && battery.properties == [.read, .notify] && battery.readSecurity == nil)
    #expect(battery.descriptors.map(\.value) == [[0, 0], Array("Größe".utf8)])
    #expect(device.services[0].characteristics[1].readSecurity == .encryption)
    #expect(device.services[1].characteristics[0].value == nil)
    #expect(!radio.devices[Self.lamp]!.isConnected)
  }

  @Test func aConnectThatTakesTooLongIsWithdrawn() async throws {
    let radio = radio()
    radio.onConnect = { _ in }
    let device = try #require(try await capture(radio))
    #expect(device.services.map(\.uuid) == [BluetoothUUID(short: 0x180F)])
    #expect(device.services[0].characteristics.isEmpty)
    #expect(radio.commands.contains(.disconnect(Self.lamp)))
  }

  @Test func aDeviceThatTellsNoServicesIsLetGoOf() async throws {
    let radio = radio()
    radio.onDiscover = { _, _ in }
    let device = try #require(try await capture(radio))
    #expect(device.services.map(\.uuid) == [BluetoothUUID(short: 0x180F)])
    #expect(radio.commands.contains(.disconnect(Self.lamp)))
  }

  @Test func aDeviceWithoutServicesGetsNone() async throws {
    let radio = radio()
    radio.devices[Self.lamp]!.database = GATTDatabase(services: [])
    let device = try #require(try await capture(radio))
    #expect(device.services.isEmpty)
  }

  @Test func aReadThatIsNotAnsweredLeavesItsValueEmptyAndTheOthersAreRead() async throws {
    let radio = radio()
    let values = radio.devices[Self.lamp]!.values
    radio.onRead = { handle, completion in
      if handle != 11 { BridgeQueue.async { completion(values[handle] ?? .success([])) } }
    }
    let device = try #require(try await capture(radio))
    #expect(device.services[0].characteristics[0].value == nil)
    #expect(device.services[0].characteristics[0].descriptors[0].value == [0, 0])
  }

  @Test func whatWasFoundBeforeTheDeviceWentIsKept() async throws {
    let radio = radio()
    radio.onRead = { handle, completion in
      BridgeQueue.async {
        if handle == 14 {
          completion(.failure(.peripheralDisconnected))
          radio.loseLink(Self.lamp, .peripheralDisconnected)
        } else {
          completion(.success([5]))
        }
      }
    }
    let device = try #require(try await capture(radio))
    #expect(device.services.map(\.uuid) == [BluetoothUUID(short: 0x180F)])
    #expect(device.services[0].characteristics[0].descriptors[0].value == [0, 0])
  }

  @Test func aDeviceThatCannotBeConnectedToIsTakenAsItAdvertises() async throws {
    let radio = radio()
    let device = try #require(try await capture(radio, isConnectable: false))
    #expect(!device.isConnectable && device.services.map(\.uuid) == [BluetoothUUID(short: 0x180F)])
    #expect(!radio.commands.contains(.connect(Self.lamp)))
  }

  @Test func aReadThatFailsOtherwiseFailsAgain() async throws {
    let radio = radio()
    radio.devices[Self.lamp]!.values[11] = .failure(.attribute(0x80))
    let device = try #require(try await capture(radio))
    let behavior = try #require(device.services[0].characteristics[0].behavior)
    #expect(behavior.json.value == .object(["readError": .integer(128)]))
  }

  @Test func notificationsBecomeASource() async throws {
    let radio = radio()
    radio.onSetNotify = { enabled, handle, completion in
      BridgeQueue.async {
        completion(.success(()))
        guard enabled, handle == 11 else { return }
        for value in 1...3 {
          QueueTimer(after: .milliseconds(20 * value)) { radio.notify([UInt8(value)], 11, of: Self.lamp) }
        }
      }
    }
    let device = try #require(try await capture(radio) { $0.notificationTime = .milliseconds(400) })
    let source = try #require(device.services[0].characteristics[0].behavior?.json.value?["source"])
    #expect(source["kind"] == .string("list"))
    #expect(source["values"]?.arrayValue?.map { $0["value"]! } == [.string("AQ=="), .string("Ag=="), .string("Aw==")])
    let times = source["values"]?.arrayValue?.compactMap { $0["at"]?.doubleValue } ?? []
    #expect(times.count == 3 && times == times.sorted() && times[0] >= 0.019)
    #expect(device.services[0].characteristics[1].behavior == nil)
  }

  /// Both in one behaviour: the source took the place of the error.
  @Test func aCharacteristicThatFailsReadsAndNotifiesDoesBothAgain() async throws {
    let radio = radio()
    radio.devices[Self.lamp]!.values[11] = .failure(.attribute(0x80))
    radio.onSetNotify = { enabled, handle, completion in
      BridgeQueue.async {
        completion(.success(()))
        guard enabled, handle == 11 else { return }
        for value in 1...3 {
          QueueTimer(after: .milliseconds(20 * value)) { radio.notify([UInt8(value)], 11, of: Self.lamp) }
        }
      }
    }
    let device = try #require(try await capture(radio) { $0.notificationTime = .milliseconds(400) })
    let content = try #require(device.services[0].characteristics[0].behavior?.content)
    #expect(content.readError == .attribute(0x80) && content.source != nil)

    let fixture = try CaptureFixture(
      VirtualRadio(configuration: MockConfiguration(name: "Captured", devices: [device])))
    let client = try fixture.client()
    client.hello(features: .errors)
    _ = try await client.next("welcome")
    client.send(.connect(Connect(id: Self.lamp)))
    _ = try await client.next("didConnect")
    client.send(.discoverServices(DiscoverServices(id: Self.lamp)))
    guard case .didDiscoverServices(let services)? = try await client.next("didDiscoverServices") else {
      Issue.record("no services")
      return
    }
    client.send(
      .discoverCharacteristics(
        DiscoverCharacteristics(id: Self.lamp, serviceId: services.services[0].id, characteristics: [])))
    guard case .didDiscoverCharacteristics(let found)? = try await client.next("didDiscoverCharacteristics") else {
      Issue.record("no characteristics")
      return
    }
    let id = found.characteristics[0].id
    client.send(.read(ReadCharacteristic(id: Self.lamp, characteristicId: id)))
    client.send(.setNotify(SetNotify(id: Self.lamp, characteristicId: id, enabled: true)))
    var values: [[UInt8]] = []
    while values.count < 4, case .didUpdateValue(let update)? = try await client.next("didUpdateValue") {
      if values.isEmpty { #expect(update.error == .attribute(0x80)) }
      values.append(update.value)
    }
    #expect(values == [[], [1], [2], [3]])
    await fixture.stop()
  }

  @Test func nothingIsWrittenWhereNothingIsHeard() async throws {
    let fixture = try CaptureFixture(ScriptedRadio())
    let result = try await fixture.capture()
    #expect(result.status == .nothingFound && result.configuration == nil)
    await fixture.stop()
  }

  /// Handles by order of appearance: a service that nobody sees moves those behind it.
  private static func withNumberedHandles(_ said: [String]) -> [String] {
    var numbers: [Substring: Int] = [:]
    return said.map { line in
      line.replacing(/:(\d+)(?=[":])/) { match in
        let number = numbers[match.1] ?? numbers.count
        numbers[match.1] = number
        return ":#\(number)"
      }
    }
  }

  /// Captured and served again, a world answers a client with the same messages.
  @Test(arguments: MockConfiguration.stock.map(\.name))
  func aCapturedWorldIsTheSameToAClient(_ name: String) async throws {
    let original = try #require(MockConfiguration.stock(named: name))
    var options = VirtualRadioOptions()
    options.advertisingInterval = .milliseconds(20)
    let first = try CaptureFixture(VirtualRadio(configuration: original, options: options))
    let before = try await ClientWalk.all(of: first, devices: original.devices.count)
    let captured = try #require(try await first.capture { $0.duration = .milliseconds(800) }.configuration)
    await first.stop()
    #expect(Set(captured.devices.map(\.id)) == Set(original.devices.map(\.id)))
    let second = try CaptureFixture(VirtualRadio(configuration: captured, options: options))
    let after = try await ClientWalk.all(of: second, devices: original.devices.count)
    await second.stop()
    #expect(Self.withNumberedHandles(after) == Self.withNumberedHandles(before))
    #expect(before.count > original.devices.count)
  }
}
