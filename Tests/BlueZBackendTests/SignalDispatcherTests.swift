import BridgeIO
import DBus
import Testing

@testable import BlueZBackend

@Suite @BridgeQueue struct SignalDispatcherTests {
  private let cache = ObjectCache()
  private let paths = GATTPaths()
  private let recorder = Recorder()
  private let dispatcher: SignalDispatcher

  private let device = "/org/bluez/hci0/dev_00_00_00_00_00_01"

  @BridgeQueue
  private final class Recorder: BlueZSignalObserver {
    var events: [String] = []
    func adaptersDidChange() { events.append("adapters") }
    func deviceAppeared(_ device: Device1, changes: Device1.Changes) {
      events.append("appeared\(changes.contains(.rssi) ? " advertising" : "")")
    }
    func deviceVanished(_ device: Device1) { events.append("vanished") }
    func device(_ device: Device1, didChange changes: Device1.Changes) {
      events.append("changed \(changes.contains(.rssi) ? "advertising" : "\(changes.rawValue)")")
    }
    func device(_ device: Device1, willDisconnectFor reason: String) { events.append("disconnected \(reason)") }
    func attributesChanged(of device: Device1, added: [String], removed: [String]) {
      events.append("attributes +\(added.count) -\(removed.count)")
    }
    func attribute(_ path: String, of device: Device1, didChange interface: String, properties: [String: Value]) {
      events.append("attribute \(properties.keys.sorted())")
    }
  }

  init() {
    dispatcher = SignalDispatcher(cache: cache, gattPaths: paths)
    dispatcher.observer = recorder
  }

  private func added(_ path: String, _ interfaces: [(String, [String: Value])]) {
    let entries = interfaces.map { Value.entry(key: .string($0.0), value: .properties($0.1)) }
    dispatcher.dispatch(
      Message.signal(path: "/", interface: Bus.objectManager, member: "InterfacesAdded")
        .append(.objectPath(ObjectPath(path)), .array(element: "{sa{sv}}", entries)))
  }

  private func removed(_ path: String, _ interfaces: [String]) {
    dispatcher.dispatch(
      Message.signal(path: "/", interface: Bus.objectManager, member: "InterfacesRemoved")
        .append(.objectPath(ObjectPath(path)), .strings(interfaces)))
  }

  private func changed(_ path: String, _ interface: String, _ properties: [String: Value], invalidated: [String] = []) {
    dispatcher.dispatch(
      Message.signal(path: ObjectPath(path), interface: Bus.properties, member: "PropertiesChanged")
        .append(.string(interface), .properties(properties), .strings(invalidated)))
  }

  @Test func `a device that appears with RSSI is an advertisement`() {
    added(device, [(BlueZ.Device.interface, ["RSSI": .int16(-40), "Address": .string("00:00:00:00:00:01")])])
    #expect(recorder.events == ["appeared advertising"])
    #expect(cache.devices[device]?.rssi == -40)
  }

  @Test func `changes of a device that was not announced are ignored`() {
    changed(device, BlueZ.Device.interface, ["RSSI": .int16(-40)])
    #expect(recorder.events == [])
  }

  @Test func `an invalidated RSSI is gone and no advertisement`() {
    added(device, [(BlueZ.Device.interface, ["RSSI": .int16(-40)])])
    changed(device, BlueZ.Device.interface, [:], invalidated: ["RSSI"])
    #expect(recorder.events == ["appeared advertising"])
    #expect(cache.devices[device]?.rssi == nil)
  }

  @Test func `a device stays when only its battery goes`() {
    added(device, [(BlueZ.Device.interface, [:])])
    added(device, [("org.bluez.Battery1", ["Percentage": .byte(1)])])
    removed(device, ["org.bluez.Battery1"])
    #expect(recorder.events == ["appeared"])
    removed(device, ["org.freedesktop.DBus.Properties", BlueZ.Device.interface])
    #expect(recorder.events == ["appeared", "vanished"])
    #expect(cache.devices.isEmpty)
  }

  @Test func `values are not kept, other properties of attributes are`() {
    let path = device + "/service0001/char0002"
    added(device, [(BlueZ.Device.interface, [:])])
    added(path, [(BlueZ.GATT.characteristic, ["Value": .bytes([1]), "UUID": .string("180d")])])
    changed(path, BlueZ.GATT.characteristic, ["Value": .bytes([2])])
    changed(path, BlueZ.GATT.characteristic, ["MTU": .uint16(100), "Value": .bytes([3])])
    #expect(cache.properties(of: path, BlueZ.GATT.characteristic)?.keys.sorted() == ["MTU", "UUID"])
    #expect(recorder.events.prefix(2) == ["appeared", "attributes +1 -0"])
    #expect(recorder.events.last?.contains("MTU") == true)
    removed(path, [BlueZ.GATT.characteristic])
    #expect(recorder.events.last == "attributes +0 -1")
    #expect(cache.paths(below: device, with: BlueZ.GATT.characteristic) == [])
  }

  @Test func `the reason of a disconnect is taken from Device1 only`() {
    added(device, [(BlueZ.Device.interface, [:])])
    for interface in [BlueZ.BearerLE.interface, BlueZ.Device.interface] {
      dispatcher.dispatch(
        Message.signal(path: ObjectPath(device), interface: interface, member: "Disconnected")
          .append(.string("org.bluez.Reason.Timeout"), .string("")))
    }
    #expect(recorder.events == ["appeared", "disconnected org.bluez.Reason.Timeout"])
  }

  @Test func `an adapter's changes are told and kept`() {
    added("/org/bluez/hci0", [(BlueZ.Adapter.interface, ["Powered": .boolean(true)])])
    changed("/org/bluez/hci0", BlueZ.Adapter.interface, ["Powered": .boolean(false)])
    #expect(recorder.events == ["adapters", "adapters"])
    #expect(cache.adapters.first?.isPowered == false)
  }

  @Test func `a malformed signal does no harm`() {
    dispatcher.dispatch(Message.signal(path: "/", interface: Bus.objectManager, member: "InterfacesAdded"))
    dispatcher.dispatch(Message.signal(path: "/", interface: Bus.objectManager, member: "InterfacesRemoved"))
    dispatcher.dispatch(Message.signal(path: "/", interface: Bus.properties, member: "PropertiesChanged"))
    dispatcher.dispatch(
      Message.signal(path: "/", interface: Bus.properties, member: "PropertiesChanged")
        .append(.string(BlueZ.Device.interface), .uint32(3)))
    #expect(recorder.events == [])
  }
}
