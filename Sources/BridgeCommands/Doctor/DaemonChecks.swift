import BlueZBackend
import BridgeIO
import DBus

/// What the system bus and bluetoothd say. One round trip: the bus, who owns `org.bluez`, its objects.
@BridgeQueue
final class DaemonChecks {
  private let bus: Connection?
  private let selector: String?

  /// `selector` is what `--adapter` says: hciN or an address.
  init(busAddress: String, selector: String?) {
    bus = try? Connection(address: busAddress)
    self.selector = selector
  }

  func run(completion: @escaping @BridgeQueue ([Finding]) -> Void) {
    guard let bus else { return completion(Self.noBus) }
    let owner = Message.methodCall(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "NameHasOwner")
    owner.append(.string("org.bluez"))
    bus.call(owner) { [self] result in
      switch result {
      case .failure: completion(Self.noBus)
      case .success(let reply) where reply.arguments.first?.bool == true: askObjects(bus, completion)
      case .success: completion(Self.noDaemon)
      }
    }
  }

  private func askObjects(_ bus: Connection, _ completion: @escaping @BridgeQueue ([Finding]) -> Void) {
    let call = Message.methodCall(
      to: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
    bus.call(call) { [self] result in
      let up: [Finding] = [.good("dbus", "the system bus answers"), .good("bluetoothd", "running")]
      switch result {
      case .failure(let error) where error.name == "org.freedesktop.DBus.Error.AccessDenied":
        completion(up + [Self.denied, .skipped("power", because: "bluetoothd may not be asked")])
      case .failure(let error):
        completion(
          up + [
            .problem("permission", error.description, advice: "See 'journalctl -u bluetooth'."),
            .skipped("power", because: "bluetoothd did not answer"),
          ])
      case .success(let reply):
        completion(up + [.good("permission", "bluetoothd answers this user"), power(Self.adapters(in: reply))])
      }
    }
  }

  private struct Adapter {
    var name: String
    var address: String
    var isPowered: Bool
    var isLECentral: Bool
  }

  private static func adapters(in reply: Message) -> [Adapter] {
    let objects = reply.arguments.first?.elements ?? []
    return objects.compactMap { object in
      guard case .entry(let key, let interfaces) = object, let path = key.string else { return nil }
      for case .entry(let name, let value) in interfaces.elements ?? [] where name.string == "org.bluez.Adapter1" {
        let properties = value.properties ?? [:]
        return Adapter(
          name: String(path.split(separator: "/").last ?? ""), address: properties["Address"]?.string ?? "",
          isPowered: properties["Powered"]?.bool ?? false,
          isLECentral: properties["Roles"]?.strings?.contains("central") ?? true)
      }
      return nil
    }.sorted { $0.name < $1.name }
  }

  private func power(_ adapters: [Adapter]) -> Finding {
    if adapters.isEmpty {
      return .problem(
        "power", "bluetoothd has no adapter", advice: "See 'adapter' above; then 'systemctl restart bluetooth'.")
    }
    if let selector {
      guard let chosen = adapters.first(where: { $0.name == selector || $0.address == selector.uppercased() }) else {
        let names = adapters.map { "\($0.name) (\($0.address))" }.joined(separator: ", ")
        return .problem("power", "no adapter is \(selector)", advice: "Choose one of: \(names).")
      }
      return Self.power(of: chosen)
    }
    return Self.power(of: adapters.first { $0.isPowered && $0.isLECentral } ?? adapters[0])
  }

  private static func power(of adapter: Adapter) -> Finding {
    if !adapter.isLECentral {
      return .problem(
        "power", "\(adapter.name) cannot be a Bluetooth LE central", advice: "Use a Bluetooth 4.0 or newer dongle.")
    }
    return adapter.isPowered
      ? .good("power", "\(adapter.name) (\(adapter.address)) is on")
      : .problem(
        "power", "\(adapter.name) (\(adapter.address)) is off",
        advice: "Run 'bluetoothctl power on', or start the service with 'bridge serve --power-on'.")
  }

  private static let noBus: [Finding] = [
    .problem(
      "dbus", "the D-Bus system bus cannot be reached",
      advice: "Start it ('systemctl start dbus'), or mount /run/dbus into the container."),
    .skipped("bluetoothd", because: "no bus"), .skipped("permission", because: "no bus"),
    .skipped("power", because: "no bus"),
  ]

  private static let noDaemon: [Finding] = [
    .good("dbus", "the system bus answers"),
    .problem(
      "bluetoothd", "bluetoothd is not running",
      advice: "Install it ('apt-get install bluez') and start it ('systemctl enable --now bluetooth')."),
    .skipped("permission", because: "no bluetoothd"), .skipped("power", because: "no bluetoothd"),
  ]

  private static let denied: Finding = .problem(
    "permission", "D-Bus forbids this user to talk to bluetoothd",
    advice: "Add the user to the group that /etc/dbus-1/system.d/bluetooth.conf names (often 'bluetooth' or 'lp'), and"
      + " log in again; or run bridge as root.")
}
