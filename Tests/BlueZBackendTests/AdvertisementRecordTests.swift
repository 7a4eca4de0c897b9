import BridgeIO
import BridgeProtocol
import DBus
import Testing

@testable import BlueZBackend

@Suite @BridgeQueue struct AdvertisementRecordTests {
  private let device = Device1(path: "/org/bluez/hci0/dev_00_00_00_00_00_01")
  private let traits = DaemonTraits()

  private let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
  private let battery = "0000180f-0000-1000-8000-00805f9b34fb"

  /// A signal's changes, as an advertisement if they contain RSSI.
  private func hear(_ record: inout AdvertisementRecord, _ properties: [String: Value]) {
    let changes = device.apply(properties)
    if changes.contains(.rssi) { _ = record.heard(device, changes, traits) }
    _ = record.changed(device, changes)
  }

  private func heard(_ signals: [String: Value]...) -> AdvertisementRecord {
    var record = AdvertisementRecord()
    for signal in signals { hear(&record, signal) }
    return record
  }

  private func manufacturer(_ entries: (UInt16, [UInt8])...) -> Value {
    .array(element: "{qv}", entries.map { .entry(key: .uint16($0.0), value: .variant(.bytes($0.1))) })
  }

  @Test func `every field that bluetoothd gives is there`() {
    let solicited: Value = .array(
      element: "{yv}", [.entry(key: .byte(0x14), value: .variant(.bytes([0x0A, 0x18, 0x0F, 0x18])))])
    let data = heard([
      "RSSI": .int16(-40), "Name": .string("Sensor"), "UUIDs": .strings([heartRate]), "TxPower": .int16(-4),
      "ManufacturerData": manufacturer((0x004C, [1, 2])), "ServiceData": .properties([battery: .bytes([99])]),
      "AdvertisingData": solicited,
    ]).data
    #expect(data.localName == "Sensor")
    #expect(data.isConnectable == true)
    #expect(data.serviceUUIDs == [BluetoothUUID(short: 0x180D)])
    #expect(data.manufacturerData == [0x4C, 0x00, 1, 2])
    #expect(data.serviceData == [BluetoothUUID(short: 0x180F): [99]])
    #expect(data.txPowerLevel == -4)
    #expect(data.solicitedServiceUUIDs == [BluetoothUUID(short: 0x180A), BluetoothUUID(short: 0x180F)])
  }

  @Test func `the revision grows with content and not with signal strength`() {
    var record = heard(["RSSI": .int16(-40), "Name": .string("Sensor")])
    let first = record.revision
    hear(&record, ["RSSI": .int16(-50)])
    hear(&record, ["RSSI": .int16(-50), "Name": .string("Sensor")])
    #expect(record.revision == first && first > 0)
    hear(&record, ["RSSI": .int16(-50), "ManufacturerData": manufacturer((1, [0]))])
    #expect(record.revision > first)
  }

  @Test func `of several manufacturer entries the one that changed is shown`() {
    var record = heard(["RSSI": .int16(-1), "ManufacturerData": manufacturer((0x4C, [1]), (0x99, [2]))])
    hear(&record, ["RSSI": .int16(-1), "ManufacturerData": manufacturer((0x4C, [7]), (0x99, [2]))])
    #expect(record.data.manufacturerData == [0x4C, 0, 7])
    hear(&record, ["RSSI": .int16(-1), "ManufacturerData": manufacturer((0x4C, [7]), (0x99, [3]))])
    #expect(record.data.manufacturerData == [0x99, 0, 3])
  }

  @Test func `UUIDs that came as service data only are not advertised services`() {
    let properties: [String: Value] = [
      "RSSI": .int16(-1), "UUIDs": .strings([heartRate, battery]), "ServiceData": .properties([battery: .bytes([9])]),
    ]
    #expect(heard(properties).data.serviceUUIDs == [BluetoothUUID(short: 0x180D)])
  }

  @Test func `a UUID listed and with service data is advertised if another listed one follows it`() {
    let properties: [String: Value] = [
      "RSSI": .int16(-1), "UUIDs": .strings([battery, heartRate]), "ServiceData": .properties([battery: .bytes([9])]),
    ]
    #expect(heard(properties).data.serviceUUIDs == [BluetoothUUID(short: 0x180F), BluetoothUUID(short: 0x180D)])
  }

  @Test func `a UUID listed before its service data was heard stays advertised`() {
    var record = heard(["RSSI": .int16(-1), "UUIDs": .strings([battery])])
    hear(&record, ["RSSI": .int16(-1), "ServiceData": .properties([battery: .bytes([9])])])
    #expect(record.data.serviceUUIDs == [BluetoothUUID(short: 0x180F)])
  }

  @Test func `a daemon that does not list service data is taken at its word`() {
    traits.learn(
      from: {
        let other = Device1(path: "/other")
        _ = other.apply(["ServiceData": .properties([battery: .bytes([9])])])
        return other
      }())
    let properties: [String: Value] = [
      "RSSI": .int16(-1), "UUIDs": .strings([battery]), "ServiceData": .properties([battery: .bytes([9])]),
    ]
    #expect(heard(properties).data.serviceUUIDs == [BluetoothUUID(short: 0x180F)])
  }

  @Test func `an Eddystone beacon advertises its service`() {
    let eddystone = "0000feaa-0000-1000-8000-00805f9b34fb"
    let properties: [String: Value] = [
      "RSSI": .int16(-1), "UUIDs": .strings([eddystone]), "ServiceData": .properties([eddystone: .bytes([0x20])]),
    ]
    #expect(heard(properties).data.serviceUUIDs == [BluetoothUUID(short: 0xFEAA)])
  }

  @Test func `the services of the GATT database do not replace the advertised ones`() {
    var record = heard(["RSSI": .int16(-1), "UUIDs": .strings([heartRate])])
    hear(&record, ["Connected": .boolean(true)])
    hear(&record, ["UUIDs": .strings([heartRate, battery]), "ServicesResolved": .boolean(true)])
    hear(&record, ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
    hear(&record, ["RSSI": .int16(-2), "TxPower": .int16(1)])
    #expect(record.data.serviceUUIDs == [BluetoothUUID(short: 0x180D)])
  }

  @Test func `a stored list of GATT services is not taken for advertised`() {
    _ = device.apply(["UUIDs": .strings(["00001801-0000-1000-8000-00805f9b34fb", battery])])
    #expect(heard(["RSSI": .int16(-1)]).data.serviceUUIDs == [])
  }

  @Test func `the GAP name is the name, the advertised one stays the local name`() {
    var record = heard(["RSSI": .int16(-1), "Name": .string("adv")])
    hear(&record, ["Connected": .boolean(true)])
    hear(&record, ["Name": .string("GAP name")])
    #expect(record.name == "GAP name")
    hear(&record, ["Connected": .boolean(false)])
    hear(&record, ["RSSI": .int16(-3), "Name": .string("adv")])
    #expect(record.name == "GAP name")
    #expect(record.data.localName == "adv")
  }

  @Test func `a stored name stands in for the local name until a connection`() {
    _ = device.apply(["Name": .string("stored")])
    #expect(heard(["RSSI": .int16(-1)]).data.localName == "stored")
  }

  @Test func `fields that bluetoothd takes back are gone`() {
    var record = heard(["RSSI": .int16(-1), "TxPower": .int16(4)])
    let message = Message.signal(path: "/", interface: "a.b", member: "c").append(.strings(["TxPower"]))
    let changes = message.read { device.invalidate(&$0) }
    _ = record.heard(device, changes, traits)
    #expect(record.data.txPowerLevel == nil)
  }
}

extension Device1 {
  /// Applies an `a{sv}` as a signal would bring it.
  func apply(_ properties: [String: Value]) -> Changes {
    let message = Message.signal(path: "/", interface: "a.b", member: "c").append(.properties(properties))
    return message.read { self.apply(&$0) }
  }
}
