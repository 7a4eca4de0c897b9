import BridgeIO
import DBus
import TestSupport

@testable import BlueZBackend

/// bluetoothd as far as GATT on one device goes, answered call by call by a test.
@BridgeQueue
final class ScriptedGATT {
  nonisolated static let device = "/org/bluez/hci0/dev_C0_C1_C2_C3_C4_C5"

  /// A call that waits for the test's answer.
  @BridgeQueue
  struct Call {
    let message: Message
    let reply: @BridgeQueue (Result<[Value], DBusError>) -> Void

    /// `ReadValue char0011`, by the last part of the path.
    var summary: String {
      "\(message.member ?? "") \((message.path ?? "").split(separator: "/").last ?? "")"
    }
    func succeed(_ values: Value...) { reply(.success(values)) }
    func fail(_ name: String, _ text: String = "") {
      reply(.failure(DBusError(name: "org.bluez.Error.\(name)", message: text)))
    }
  }

  let connection: Connection
  /// Unanswered calls, oldest first, barriers not among them.
  private(set) var calls: [Call] = []
  /// All calls ever received.
  private(set) var log: [String] = []
  /// Called for each call first; true takes the call out of the test's hands.
  var answers: @BridgeQueue (Call) -> Bool = { _ in false }
  private var objects: [String: (interface: String, properties: [String: Value])] = [:]

  init(on bus: PrivateBus) async throws {
    connection = try bus.connect()
    connection.export("/", subtree: true) { [weak self] message, reply in self?.received(message, reply) }
    try await connection.requestName("org.bluez")
  }

  private func received(_ message: Message, _ reply: @escaping @BridgeQueue (Result<[Value], DBusError>) -> Void) {
    switch message.member {
    case "GetManagedObjects": reply(.success([managedObjects]))
    case "Get": reply(.success([.variant(.boolean(true))]))
    default:
      let call = Call(message: message, reply: reply)
      log.append(call.summary)
      if !answers(call) { calls.append(call) }
    }
  }

  /// The next call, which must be this one.
  func expect(_ summary: String) async throws -> Call {
    guard await eventually({ !self.calls.isEmpty }) else { throw Missing(what: summary, log: log) }
    let call = calls.removeFirst()
    guard call.summary == summary else { throw Missing(what: summary, log: log) }
    return call
  }

  struct Missing: Error {
    var what: String
    var log: [String]
  }

  // MARK: Objects

  func add(_ path: String, _ interface: String, _ properties: [String: Value]) {
    objects[path] = (interface, properties)
  }

  private var managedObjects: Value {
    .array(
      element: "{oa{sa{sv}}}",
      objects.map { path, object in
        .entry(key: .objectPath(ObjectPath(path)), value: Self.interfaces(object.interface, object.properties))
      })
  }

  private static func interfaces(_ name: String, _ properties: [String: Value]) -> Value {
    .array(element: "{sa{sv}}", [.entry(key: .string(name), value: .properties(properties))])
  }

  func announce(_ path: String, _ interface: String, _ properties: [String: Value]) {
    add(path, interface, properties)
    connection.send(
      Message.signal(path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded")
        .append(.objectPath(ObjectPath(path)), Self.interfaces(interface, properties)))
  }

  func remove(_ path: String) {
    guard let object = objects.removeValue(forKey: path) else { return }
    connection.send(
      Message.signal(path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesRemoved")
        .append(.objectPath(ObjectPath(path)), .strings([object.interface])))
  }

  func change(_ path: String, _ interface: String, _ properties: [String: Value]) {
    connection.send(
      Message.signal(
        path: ObjectPath(path), interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged"
      )
      .append(.string(interface), .properties(properties), .strings([])))
  }

  func announceValue(_ characteristic: String, _ value: [UInt8]) {
    change("\(Self.device)/\(characteristic)", GATTNames.characteristic, ["Value": .bytes(value)])
  }
}

extension ScriptedGATT {
  func addService(_ name: String, _ uuid: UInt32, primary: Bool = true) {
    add("\(Self.device)/\(name)", GATTNames.service, Self.service(uuid, primary: primary))
  }
  func addCharacteristic(_ name: String, _ uuid: UInt32, _ flags: [String], mtu: UInt16? = nil) {
    add("\(Self.device)/\(name)", GATTNames.characteristic, Self.characteristic(uuid, flags, mtu: mtu))
  }
  func addDescriptor(_ name: String, _ uuid: UInt32) {
    add("\(Self.device)/\(name)", GATTNames.descriptor, ["UUID": Self.uuid(uuid)])
  }

  static func service(_ uuid: UInt32, primary: Bool = true) -> [String: Value] {
    ["UUID": Self.uuid(uuid), "Primary": .boolean(primary), "Includes": .array(element: "o", [])]
  }
  static func characteristic(_ uuid: UInt32, _ flags: [String], mtu: UInt16? = nil) -> [String: Value] {
    var properties: [String: Value] = ["UUID": Self.uuid(uuid), "Flags": .strings(flags), "Value": .bytes([])]
    if let mtu { properties["MTU"] = .uint16(mtu) }
    return properties
  }
  private static func uuid(_ short: UInt32) -> Value { .string(BluetoothUUIDText.full(short)) }
}

private enum BluetoothUUIDText {
  static func full(_ short: UInt32) -> String {
    let hex = String(short, radix: 16)
    return String(repeating: "0", count: 8 - hex.count) + hex + "-0000-1000-8000-00805f9b34fb"
  }
}
