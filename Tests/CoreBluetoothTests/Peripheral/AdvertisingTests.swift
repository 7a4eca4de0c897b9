import BridgeIO
import BridgeProtocol
import CoreBluetooth
import MockBackend
import TestSupport
import Testing

/// Advertising, as centrals hear it.
@Suite struct AdvertisingTests {
  private static let name = [CBAdvertisementDataLocalNameKey: "Host"]

  @Test @BridgeQueue func `PERI-10 name and UUIDs are advertised, other keys are not`() async throws {
    let fixture = try await HostFixture.on()
    try await fixture.advertise([
      CBAdvertisementDataLocalNameKey: "Host", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F")],
      CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]), "other": 1,
    ])
    let data = try await fixture.find(fixture.client()).advertisement
    #expect(
      data
        == AdvertisementData(localName: "Host", isConnectable: true, serviceUUIDs: [BluetoothUUID(short: 0x180F)]))
  }

  @Test(arguments: [true, false]) @BridgeQueue
  func `PERI-10 no data still starts`(isNil: Bool) async throws {
    let fixture = try await HostFixture.on()
    try await fixture.advertise(isNil ? nil : [:])
    #expect(try await fixture.find(fixture.client()).advertisement == AdvertisementData(isConnectable: true))
  }

  @Test func `PERI-11 UUIDs beyond 28 bytes overflow, and the name takes what room there is`() {
    let long = (0..<3).map { CBUUID(string: "0000000\($0)-1111-2222-3333-444444444444") }
    let short = (0..<16).map { CBUUID(data: Data([0xF0, UInt8($0)])) }
    func data(_ name: String?, _ uuids: [CBUUID]) -> AdvertisementData {
      var dictionary: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: uuids]
      dictionary[CBAdvertisementDataLocalNameKey] = name
      return AppAdvertisement(dictionary, rules: PeripheralRules()).data
    }
    let shorts = data(nil, short)
    #expect(shorts.serviceUUIDs.count == 14 && shorts.overflowServiceUUIDs.count == 2)
    let longs = data("Twelve bytes, and more", long)
    #expect(longs.serviceUUIDs.count == 1 && longs.overflowServiceUUIDs.count == 2)
    #expect(longs.localName == "Twelve bytes")
    // The scan response has ten bytes for it.
    #expect(data("Ten bytes and more", Array(short.prefix(14))).localName == "Ten bytes ")
    #expect(data("28 bytes are here and no more", []).localName == "28 bytes are here and no mor")
    // No half characters.
    #expect(data("äöüäöüäöü", Array(short.prefix(14))).localName == "äöüäö")
  }

  @Test @BridgeQueue func `PERI-12 the start is confirmed, and a second one refused`() async throws {
    let fixture = try await HostFixture.on()
    #expect(!fixture.manager.isAdvertising)
    fixture.manager.startAdvertising(Self.name)
    let start = try await fixture.recorder.next()
    #expect(start.name == .didStartAdvertising && start.error == nil && start.isAdvertising)
    fixture.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Other"])
    let second = try await fixture.recorder.next()
    #expect(second.name == .didStartAdvertising && (second.error as? CBError)?.code == .alreadyAdvertising)
    #expect(fixture.manager.isAdvertising)
    #expect(try await fixture.find(fixture.client()).advertisement.localName == "Host")
  }

  @Test @BridgeQueue func `PERI-13 stopping has no callback, can be repeated, and leaves connections`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make("FFF1", .read, value: [1], .readable)])])
    let central = try await fixture.central()
    fixture.manager.stopAdvertising()
    fixture.manager.stopAdvertising()
    #expect(!fixture.manager.isAdvertising)
    #expect(try await fixture.eventsSoFar().isEmpty)
    #expect(try await central.read("FFF1").value == [1])
    // And may begin anew.
    try await fixture.advertise()
    #expect(fixture.manager.isAdvertising)
  }

  @Test @BridgeQueue func `PERI-14 advertising goes on over connections, of several centrals`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make("FFF1", .read, value: [1], .readable)])])
    let one = try await fixture.central()
    let other = try await fixture.central()
    #expect(fixture.manager.isAdvertising)
    #expect(try await one.read("FFF1").value == [1])
    #expect(try await other.read("FFF1").value == [1])
  }

  @Test @BridgeQueue func `PERI-15 off pauses advertising and drops centrals`() async throws {
    let fixture = try await HostFixture.publishing([.make("FFF0", [.make("FFF1", .read, value: [1], .readable)])])
    let central = try await fixture.central()
    fixture.radio.setState(.poweredOff)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOff)
    _ = try await central.client.next("didDisconnect")
    fixture.radio.setState(.poweredOn)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOn)
    #expect(fixture.manager.isAdvertising)
    #expect(try await fixture.central().read("FFF1").value == [1])
  }

  @Test @BridgeQueue func `PERI-15 below off advertising ends and services are gone`() async throws {
    let characteristic = CBMutableCharacteristic.make()
    let service = CBMutableService.make("FFF0", [characteristic])
    let fixture = try await HostFixture.publishing([service])
    fixture.radio.setState(.resetting)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .resetting)
    fixture.radio.setState(.poweredOn)
    #expect(try await fixture.recorder.next(.didUpdateState).state == .poweredOn)
    #expect(!fixture.manager.isAdvertising)
    #expect(!fixture.manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil))
    // It can be added again.
    try await fixture.add(service)
    try await fixture.advertise()
    #expect(try await fixture.central().services.count == 1)
  }

  @Test @BridgeQueue func `PERI-17 the local name is as given, the device name the host's`() async throws {
    let fixture = try await HostFixture.publishing([.make()])
    let client = try await fixture.client()
    let report = try await fixture.find(client)
    #expect(report.advertisement.localName == "Host" && report.name == "Host")
    client.send(.connect(Connect(id: report.id)))
    guard case .didUpdateName(let update) = try await client.next("didUpdateName") else { throw NothingHappened() }
    #expect(update.name == "host")
  }

  @Test @BridgeQueue func `the identifier is the host's, whenever it comes`() async throws {
    let fixture = try await HostFixture.publishing([.make()])
    let id = try await fixture.find(fixture.client()).id
    fixture.releaseManager()
    let recorder = HostRecorder()
    let manager = fixture.makeManager(nil, recorder)
    _ = try await recorder.next(.didUpdateState)
    manager.startAdvertising(nil)
    _ = try await recorder.next(.didStartAdvertising)
    let client = try await fixture.client()
    #expect(try await fixture.find(client).id == id)
  }
}
