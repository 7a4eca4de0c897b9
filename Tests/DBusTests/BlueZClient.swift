import BridgeIO
import DBus
import TestSupport
import Testing

enum FakeBus {
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
}

/// A program that uses the fake, and writes down what it is told: `+ object`, `- object`, `object Property -Invalidated`.
@BridgeQueue
final class BlueZClient {
  let connection: Connection
  var told: [String] = []

  static func run(_ body: @BridgeQueue (FakeBlueZ, BlueZClient) async throws -> Void) async throws {
    try await PrivateBus.run { bus in
      let fake = try await FakeBlueZ.start(on: bus)
      let client = BlueZClient(try bus.connect())
      client.connection.addMatch("type='signal',sender='org.bluez'")
      try await client.barrier()
      try await body(fake, client)
    }
  }

  init(_ connection: Connection) {
    self.connection = connection
    connection.onSignal = { [weak self] in self?.note($0) }
  }

  private func note(_ message: Message) {
    guard message.sender != "org.freedesktop.DBus" else { return }
    let arguments = message.arguments
    if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
      told.append("+ " + last(arguments[0].string))
    } else if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
      told.append("- " + last(arguments[0].string))
    } else if message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") {
      let changed = (arguments[1].properties ?? [:]).keys.sorted()
      let names = changed.filter { $0 != "Discovering" } + (arguments[2].strings ?? []).map { "-" + $0 }
      told.append(([last(message.path)] + names).joined(separator: " "))
    }
  }

  private func last(_ path: String?) -> String { String((path ?? "").split(separator: "/").last ?? "") }

  func message(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) -> Message {
    Message.methodCall(to: "org.bluez", path: ObjectPath(path), interface: interface, member: member)
      .append(contentsOf: arguments)
  }

  func call(_ path: String, _ interface: String, _ member: String, _ arguments: Value...) async throws -> Message {
    try await connection.call(message(path, interface, member, arguments))
  }

  func call(_ path: String, _ interface: String, _ member: String, _ text: String) async throws -> Message {
    try await call(path, interface, member, .string(text))
  }

  func failure(_ path: String, _ interface: String, _ member: String, _ arguments: Value...) async -> DBusError? {
    await result { connection.call(message(path, interface, member, arguments), completion: $0) }.failure
  }

  func send(
    _ path: String, _ interface: String, _ member: String, _ arguments: Value...,
    completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) {
    connection.call(message(path, interface, member, arguments), completion: completion)
  }

  /// All that the fake has said so far has been noted afterwards.
  func barrier() async throws {
    await turns(1)
    _ = try await call("/", "org.freedesktop.DBus.Peer", "Ping")
  }

  func startDiscovery() async throws { _ = try await call("/org/bluez/hci0", FakeBus.adapter, "StartDiscovery") }

  /// Last parts of the paths of all objects.
  func objects() async throws -> Set<String> {
    let reply = try await call("/", FakeBus.objectManager, "GetManagedObjects")
    var names: Set<String> = []
    for case .entry(let path, _) in reply.arguments.first?.elements ?? [] { names.insert(last(path.string)) }
    return names
  }

  /// A connected device with a battery service.
  func connectBattery(_ fake: FakeBlueZ) async throws -> FakeCharacteristic {
    let device = fake.adapter.addDevice(
      "C0:00:00:00:00:01", stored: true,
      services: [FakeServiceDescription("180f", [FakeCharacteristicDescription("2a19", ["read", "notify"])])])
    _ = try await call(device.path, FakeBus.device, "Connect")
    let battery = device.characteristic("2a19")
    #expect(await eventually { battery.path != "" })
    try await barrier()
    return battery
  }
}

extension Result where Failure == DBusError {
  var failure: DBusError? { if case .failure(let error) = self { error } else { nil } }
  var isSuccess: Bool { failure == nil }
}
