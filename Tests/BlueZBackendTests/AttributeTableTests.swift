import BridgeIO
import BridgeProtocol
import DBus
import Radio
import Testing

@testable import BlueZBackend

@Suite struct AttributeTableTests {
  private static let device = "/org/bluez/hci0/dev_C0_C1_C2_C3_C4_C5"

  @BridgeQueue
  private final class Objects {
    var services: [AttributeTable.Object] = []
    var characteristics: [AttributeTable.Object] = []
    var descriptors: [AttributeTable.Object] = []

    func service(_ name: String, _ uuid: String, primary: Bool = true, includes: [String] = []) {
      services.append(
        .init(
          path: "\(device)/\(name)",
          properties: [
            "UUID": .string(uuid), "Primary": .boolean(primary),
            "Includes": .array(element: "o", includes.map { .objectPath(ObjectPath("\(device)/\($0)")) }),
          ]))
    }
    func characteristic(_ name: String, _ uuid: String, _ flags: String...) {
      characteristics.append(
        .init(path: "\(device)/\(name)", properties: ["UUID": .string(uuid), "Flags": .strings(flags)]))
    }
    func descriptor(_ name: String, _ uuid: String) {
      descriptors.append(.init(path: "\(device)/\(name)", properties: ["UUID": .string(uuid)]))
    }
    func table(replaced: Set<String> = [], keeping previous: [String: Attribute] = [:]) -> AttributeTable {
      AttributeTable(
        services: services, characteristics: characteristics, descriptors: descriptors,
        replaced: Set(replaced.map { "\(device)/\($0)" }), keeping: previous)
    }
  }

  @BridgeQueue
  private static func heartRate() -> Objects {
    let objects = Objects()
    objects.service("service0001", "00001801-0000-1000-8000-00805f9b34fb")
    objects.characteristic("service0001/char0002", "00002a05-0000-1000-8000-00805f9b34fb", "indicate")
    objects.service("service0020", "0000aaaa-1111-2222-3333-444455556666")
    objects.service("service0010", "0000180d-0000-1000-8000-00805f9b34fb")
    objects.characteristic("service0010/char0014", "00002a38-0000-1000-8000-00805f9b34fb", "read")
    objects.characteristic("service0010/char0011", "00002a37-0000-1000-8000-00805f9b34fb", "notify")
    objects.descriptor("service0010/char0011/desc0013", "00002902-0000-1000-8000-00805f9b34fb")
    return objects
  }

  @Test @BridgeQueue func `services and characteristics come in handle order, with the GATT service hidden`() {
    let table = Self.heartRate().table()
    #expect(table.database.services.map(\.handle) == [0x10, 0x20])
    #expect(table.database.services[0].characteristics.map(\.handle) == [0x11, 0x14])
    #expect(table.database.services[0].characteristics[0].descriptors.map(\.handle) == [0x13])
    #expect(Set(table.attributes.keys) == [0x11, 0x13, 0x14])
  }

  @Test @BridgeQueue func `an attribute knows its path, service and configuration descriptor`() throws {
    let table = Self.heartRate().table()
    let measurement = try #require(table.attributes[0x11])
    #expect(measurement.path.text == "\(Self.device)/service0010/char0011")
    #expect(measurement.service == BluetoothUUID(short: 0x180D))
    #expect(measurement.properties == .notify)
    #expect(measurement.isConfigurable)
    #expect(table.attributes[0x14]?.isConfigurable == false)
    #expect(table.attributes[0x13]?.kind == .descriptor)
    #expect(table.byPath[measurement.path.text] === measurement)
  }

  @Test func `flags become properties, and those from the extended descriptor nothing`() {
    let flags = [
      "broadcast", "read", "write-without-response", "write", "notify", "indicate", "authenticated-signed-writes",
      "extended-properties",
    ]
    for (bit, flag) in flags.enumerated() {
      #expect(CharacteristicProperties(flags: [flag]).rawValue == 1 << UInt16(bit))
    }
    #expect(CharacteristicProperties(flags: ["reliable-write", "writable-auxiliaries", "encrypt-read"]).isEmpty)
  }

  @Test @BridgeQueue func `included services are named by handle, secondary ones stay secondary`() {
    let objects = Objects()
    objects.service(
      "service0010", "0000180d-0000-1000-8000-00805f9b34fb", includes: ["service0020", "service0001", "service0099"])
    objects.service("service0020", "0000180f-0000-1000-8000-00805f9b34fb", primary: false)
    objects.service("service0001", "00001800-0000-1000-8000-00805f9b34fb")
    let services = objects.table().database.services
    #expect(services.map(\.isPrimary) == [true, false])
    #expect(services[0].includedServices == [0x20])
  }

  @Test @BridgeQueue func `a service that took another's place is primary unless something includes it`() {
    let objects = Objects()
    objects.service("service0010", "0000180d-0000-1000-8000-00805f9b34fb", primary: false)
    objects.service("service0020", "0000180f-0000-1000-8000-00805f9b34fb", includes: ["service0030"])
    objects.service("service0030", "0000aaaa-1111-2222-3333-444455556666", primary: false)
    #expect(objects.table().database.services.map(\.isPrimary) == [false, true, false])
    let table = objects.table(replaced: ["service0010", "service0030"])
    #expect(table.database.services.map(\.isPrimary) == [true, true, false])
  }

  @Test @BridgeQueue func `unchanged attributes are kept with their subscription, changed and removed ones are not`()
    throws
  {
    let first = Self.heartRate().table()
    let measurement = try #require(first.attributes[0x11])
    measurement.subscription = .on
    let location = try #require(first.attributes[0x14])
    location.isRemoved = true
    let second = Self.heartRate().table(keeping: first.byPath)
    #expect(second.attributes[0x11] === measurement)
    #expect(second.attributes[0x14] !== location)

    let changed = Self.heartRate()
    changed.characteristics[2].properties["Flags"] = .strings(["indicate"])
    #expect(changed.table(keeping: first.byPath).attributes[0x11] !== measurement)
  }

  @Test @BridgeQueue func `objects without sense are left out`() {
    let objects = Objects()
    objects.service("service10", "0000180d-0000-1000-8000-00805f9b34fb")
    objects.service("service0020", "not a UUID")
    objects.service("service0030", "0000180f-0000-1000-8000-00805f9b34fb")
    objects.characteristic("service0030/charxyzw", "00002a19-0000-1000-8000-00805f9b34fb", "read")
    objects.characteristic("service0040/char0041", "00002a19-0000-1000-8000-00805f9b34fb", "read")
    let table = objects.table()
    #expect(table.database.services.map(\.handle) == [0x30])
    #expect(table.attributes.isEmpty)
  }

  @Test func `handles and services are read from paths`() {
    #expect(AttributeTable.handle(of: "/a/service001a/char00fF", "char") == 0xFF)
    #expect(AttributeTable.handle(of: "/a/service001a/char00fF", "service") == nil)
    #expect(AttributeTable.handle(of: "service001a", "service") == nil)
    let device = Self.device
    #expect(AttributeTable.servicePath(of: device + "/service0010/char0011", below: device) == device + "/service0010")
    #expect(AttributeTable.servicePath(of: device + "/service0010", below: device) == device + "/service0010")
    #expect(AttributeTable.servicePath(of: device + "/player0", below: device) == nil)
    #expect(AttributeTable.servicePath(of: "/org/bluez/hci0/dev_00/service0010", below: device) == nil)
  }

  // MARK: Changes

  private func service(_ handle: AttributeHandle, _ uuid: UInt32, _ characteristics: AttributeHandle...) -> GATTService
  {
    GATTService(
      handle: handle, uuid: BluetoothUUID(short: uuid), isPrimary: true,
      characteristics: characteristics.map {
        GATTCharacteristic(handle: $0, uuid: BluetoothUUID(short: 0x2A00), properties: .read, descriptors: [])
      })
  }

  @Test @BridgeQueue func `a service that is gone, changed or touched is invalidated`() {
    let old = GATTDatabase(services: [
      service(1, 0x1811), service(4, 0x1812), service(8, 0x1813, 9), service(12, 0x1814),
    ])
    let new = GATTDatabase(services: [service(4, 0x1899), service(8, 0x1813, 9, 10), service(12, 0x1814)])
    #expect(AttributeTable.changes(from: old, to: new, touched: []).invalidated == [1, 4, 8])
    #expect(AttributeTable.changes(from: old, to: new, touched: [12]).invalidated == [1, 4, 8, 12])
  }

  @Test @BridgeQueue func `a new service is a change that invalidates nothing, an include is no change`() {
    let old = GATTDatabase(services: [service(1, 0x1811)])
    var new = GATTDatabase(services: [service(1, 0x1811), service(4, 0x1812)])
    #expect(AttributeTable.changes(from: old, to: new, touched: []) == ([], true))
    new = old
    new.services[0].includedServices = [4]
    #expect(AttributeTable.changes(from: old, to: new, touched: [99]) == ([], false))
  }
}
