import BridgeIO
import BridgeProtocol
import DBus
import Radio
import TestSupport

@testable import BlueZBackend

/// A `GATTClient` on a live link to a `ScriptedGATT`, and all that it told anyone.
///
/// The device has 180D: 2A37 (0x11, notify, with 2902 at 0x13), 2A38 (0x14, read, write, write without response),
/// 2A39 (0x16, notify without 2902), and 180A: 2A29 (0x21, read).
@BridgeQueue
final class LinkFixture: GATTClientOwner, BlueZSignalObserver {
  enum Event: Hashable, Sendable {
    case value([UInt8])
    case done(String)
    case failed(String, BluetoothError)
    case notified([UInt8], AttributeHandle)
    case modified([AttributeHandle])
    case ready
    case stuck
  }

  static let measurement: AttributeHandle = 0x11
  static let configuration: AttributeHandle = 0x13
  static let location: AttributeHandle = 0x14
  static let unconfigurable: AttributeHandle = 0x16
  static let manufacturer: AttributeHandle = 0x21

  let bus: PrivateBus
  let daemon: ScriptedGATT
  let connection: Connection
  let cache = ObjectCache()
  let paths = GATTPaths()
  private let dispatcher: SignalDispatcher
  private(set) var client: GATTClient!
  var events: [Event] = []
  /// As told, apart from the events.
  private(set) var writeLengths: [Int] = []

  /// A link with resolved services, discovered already unless told otherwise.
  static func run(
    timing: GATTClient.Timing = GATTClient.Timing(), mtu: UInt16? = 100, paired: Bool = false, discovered: Bool = true,
    _ body: @BridgeQueue (LinkFixture) async throws -> Void
  ) async throws {
    try await PrivateBus.run { bus in
      let fixture = try await LinkFixture(bus, timing, mtu: mtu, paired: paired)
      if discovered { try await fixture.discover() }
      try await body(fixture)
      fixture.client.end(.peripheralDisconnected)
    }
  }

  private init(_ bus: PrivateBus, _ timing: GATTClient.Timing, mtu: UInt16?, paired: Bool) async throws {
    self.bus = bus
    daemon = try await ScriptedGATT(on: bus)
    connection = try bus.connect()
    dispatcher = SignalDispatcher(cache: cache, gattPaths: paths)
    dispatcher.observer = self
    connection.onSignal = { [weak self] in self?.dispatcher.dispatch($0) }
    connection.addMatch("type='signal',sender='org.bluez'")
    daemon.add(
      ScriptedGATT.device, GATTNames.device,
      [
        "Address": .string("C0:C1:C2:C3:C4:C5"), "AddressType": .string("random"), "Connected": .boolean(true),
        "ServicesResolved": .boolean(true), "Paired": .boolean(paired),
      ])
    daemon.addService("service0010", 0x180D)
    daemon.addCharacteristic("service0010/char0011", 0x2A37, ["notify"], mtu: mtu)
    daemon.addDescriptor("service0010/char0011/desc0013", 0x2902)
    daemon.addCharacteristic(
      "service0010/char0014", 0x2A38, ["read", "write", "write-without-response"], mtu: mtu)
    daemon.addCharacteristic("service0010/char0016", 0x2A39, ["notify"], mtu: mtu)
    daemon.addService("service0020", 0x180A)
    daemon.addCharacteristic("service0020/char0021", 0x2A29, ["read"], mtu: mtu)
    cache.load(
      try await connection.call(
        Message.methodCall(
          to: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")))
    client = GATTClient(
      bus: connection, busAddress: bus.address, devicePath: ScriptedGATT.device, cache: cache, paths: paths,
      owner: self, timing: timing)
  }

  func discover() async throws {
    client.servicesResolved()
    _ = try await result { self.client.discoverServices(completion: $0) }.get()
  }

  // MARK: Operations whose end becomes an event

  func read(_ attribute: AttributeHandle) {
    client.read(attribute) { result in
      switch result {
      case .success(let value): self.events.append(.value(value))
      case .failure(let error): self.events.append(.failed("read", error))
      }
    }
  }
  func write(_ value: [UInt8], to attribute: AttributeHandle, _ name: String = "write") {
    client.write(value, to: attribute, completion: ended(name))
  }
  func command(_ value: [UInt8], to attribute: AttributeHandle, _ name: String = "command") {
    client.writeWithoutResponse(value, to: attribute, completion: ended(name))
  }
  func setNotify(_ enabled: Bool, _ attribute: AttributeHandle) {
    client.setNotify(enabled, characteristic: attribute, completion: ended(enabled ? "subscribe" : "unsubscribe"))
  }
  private func ended(_ name: String) -> RadioCompletion<Void> {
    { result in
      switch result {
      case .success: self.events.append(.done(name))
      case .failure(let error): self.events.append(.failed(name, error))
      }
    }
  }

  /// Waits for so many events, and gives them.
  func events(_ count: Int) async -> [Event] {
    _ = await eventually { self.events.count >= count }
    return events
  }

  /// Returns when all that the daemon sent before has been handled.
  func settle() async throws {
    _ = try await connection.call(
      Message.methodCall(
        to: "org.bluez", path: ObjectPath(ScriptedGATT.device), interface: GATTNames.properties, member: "Get"
      ).append(.string(GATTNames.device), .string("Connected")))
  }

  func subscribe() async throws {
    setNotify(true, Self.measurement)
    try await daemon.expect("StartNotify char0011").succeed()
    _ = await events(1)
    events = []
  }

  // MARK: Owner

  func gattClient(_ client: GATTClient, didNotify value: [UInt8], characteristic: AttributeHandle) {
    events.append(.notified(value, characteristic))
  }
  func gattClient(_ client: GATTClient, didModifyServices removed: [AttributeHandle]) {
    events.append(.modified(removed))
  }
  func gattClientIsReadyToWriteWithoutResponse(_ client: GATTClient) { events.append(.ready) }
  func gattClientDidUpdateMaximumWriteLength(_ client: GATTClient) { writeLengths.append(client.maximumWriteLength) }
  func gattClientIsStuck(_ client: GATTClient) { events.append(.stuck) }

  // MARK: Signals

  func adaptersDidChange() {}
  func deviceAppeared(_ device: Device1, changes: Device1.Changes) {}
  func deviceVanished(_ device: Device1) {}
  func device(_ device: Device1, didChange changes: Device1.Changes) {}
  func device(_ device: Device1, willDisconnectFor reason: String) {}
  func attributesChanged(of device: Device1, added: [String], removed: [String]) {
    client.objectsChanged(added: added, removed: removed)
  }
  func attribute(_ path: String, of device: Device1, didChange interface: String, properties: [String: Value]) {
    client.propertiesChanged(path: path, interface: interface, changed: properties)
  }
}
