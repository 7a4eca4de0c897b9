import BridgeIO
import DBus
import TestSupport

@testable import BlueZBackend

/// A bluetoothd of a test's own that does nothing by itself: it owns org.bluez, lists the objects that the test gives it
/// and answers each call as the test says, so that every order of events can be made.
@BridgeQueue
final class ScriptedDaemon {
  typealias Reply = @BridgeQueue (Result<[Value], DBusError>) -> Void

  static let adapter = "/org/bluez/hci0"
  static let inProgress = DBusError(name: "org.bluez.Error.InProgress", message: "In Progress")
  static let failed = DBusError(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")

  private let connection: Connection
  private var objects: [String: [String: [String: Value]]] = [:]
  /// Calls that came and that no `called` has taken, oldest first.
  private var calls: [(member: String, call: Message, reply: Reply)] = []
  private var waiter: (member: String, resume: @BridgeQueue (Message, @escaping Reply) -> Void)?
  /// Members that are answered by themselves with nothing.
  var automatic: Set<String> = ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Set"]
  private(set) var counts: [String: Int] = [:]

  private init(_ bus: PrivateBus) throws {
    connection = try bus.connect()
    connection.export("/", subtree: true) { [weak self] call, reply in self?.handle(call, reply) }
  }

  /// A daemon with one adapter, switched on unless said otherwise.
  static func start(
    on bus: PrivateBus, adapter: String? = adapter, address: String = "00:00:00:00:00:AA", powered: Bool = true,
    devices: [(String, [String: Value])] = []
  ) async throws -> ScriptedDaemon {
    let daemon = try ScriptedDaemon(bus)
    if let adapter { daemon.objects[adapter] = adapterInterfaces(address, powered) }
    for (path, properties) in devices { daemon.objects[path] = [BlueZ.Device.interface: properties] }
    try await daemon.connection.requestName("org.bluez")
    return daemon
  }

  func stop() { connection.close() }

  static func adapterInterfaces(_ address: String, _ powered: Bool) -> [String: [String: Value]] {
    [
      BlueZ.Adapter.interface: [
        "Address": .string(address), "AddressType": .string("public"), "Powered": .boolean(powered),
        "Roles": .strings(["central"]),
      ]
    ]
  }

  // MARK: Signals

  func add(_ path: String, _ interfaces: [String: [String: Value]]) {
    objects[path, default: [:]].merge(interfaces) { $1 }
    let entries = interfaces.map { Value.entry(key: .string($0.key), value: .properties($0.value)) }
    signal(
      "/", Bus.objectManager, "InterfacesAdded", [.objectPath(ObjectPath(path)), .array(element: "{sa{sv}}", entries)])
  }

  func addDevice(_ path: String, _ properties: [String: Value]) { add(path, [BlueZ.Device.interface: properties]) }

  func remove(_ path: String, _ interfaces: [String] = [BlueZ.Device.interface]) {
    for interface in interfaces { objects[path]?[interface] = nil }
    if objects[path]?.isEmpty == true { objects[path] = nil }
    signal("/", Bus.objectManager, "InterfacesRemoved", [.objectPath(ObjectPath(path)), .strings(interfaces)])
  }

  /// Changes properties without a signal.
  func set(_ path: String, _ properties: [String: Value], interface: String = BlueZ.Device.interface) {
    objects[path]?[interface]?.merge(properties) { $1 }
  }

  func change(
    _ path: String, _ properties: [String: Value], interface: String = BlueZ.Device.interface,
    invalidated: [String] = []
  ) {
    objects[path]?[interface]?.merge(properties) { $1 }
    signal(
      path, Bus.properties, "PropertiesChanged",
      [.string(interface), .properties(properties), .strings(invalidated)])
  }

  func setPowered(_ powered: Bool, at path: String = adapter) {
    change(path, ["Powered": .boolean(powered)], interface: BlueZ.Adapter.interface)
  }

  func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) {
    connection.send(
      Message.signal(path: ObjectPath(path), interface: interface, member: member).append(contentsOf: arguments))
  }

  // MARK: Calls

  /// The next call of `member`, past or future; calls of other members stay for others to take.
  func called(_ member: String) async -> Call {
    await withCheckedContinuation { continuation in
      // Looked up here and not before: other work runs between the two.
      if let index = calls.firstIndex(where: { $0.member == member }) {
        let (_, call, reply) = calls.remove(at: index)
        continuation.resume(returning: Call(message: call, reply: reply))
      } else {
        waiter = (member, { continuation.resume(returning: Call(message: $0, reply: $1)) })
      }
    }
  }

  @BridgeQueue
  struct Call: Sendable {
    let message: Message
    let reply: Reply
    var path: String { message.path ?? "" }
    func succeed(_ values: Value...) { reply(.success(values)) }
    func fail(_ error: DBusError) { reply(.failure(error)) }
  }

  private func handle(_ call: Message, _ reply: @escaping Reply) {
    let member = call.member ?? ""
    counts[member, default: 0] += 1
    switch member {
    case "GetManagedObjects": reply(.success([managedObjects]))
    case "Get": get(call, reply)
    default:
      if automatic.contains(member) { reply(.success([])) }
      if let waiter, waiter.member == member {
        self.waiter = nil
        waiter.resume(call, reply)
      } else {
        calls.append((member, call, reply))
      }
    }
  }

  private func get(_ call: Message, _ reply: Reply) {
    let names = call.arguments.compactMap(\.string)
    if names.count == 2, let value = objects[call.path ?? ""]?[names[0]]?[names[1]] {
      reply(.success([.variant(value)]))
    } else {
      reply(.failure(DBusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No such property")))
    }
  }

  private var managedObjects: Value {
    .array(
      element: "{oa{sa{sv}}}",
      objects.map { path, interfaces in
        .entry(
          key: .objectPath(ObjectPath(path)),
          value: .array(
            element: "{sa{sv}}", interfaces.map { .entry(key: .string($0.key), value: .properties($0.value)) }))
      })
  }
}
