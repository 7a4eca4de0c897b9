import BridgeIO
import DBus

/// The object that bluetoothd asks during pairing.
///
/// Without a registered agent even pairing that needs no answer fails. Only devices that the bridge has connected may
/// pair with it; everyone else is refused.
///
/// - Source: BlueZ `doc/org.bluez.Agent.rst`, `doc/org.bluez.AgentManager.rst`.
@BridgeQueue
final class Agent1 {
  static let path: ObjectPath = "/org/bluez/bridge/agent"
  private static let interface = "org.bluez.Agent1"
  private static let managerInterface = "org.bluez.AgentManager1"
  private static let managerPath: ObjectPath = "/org/bluez"

  private static let rejected = DBusError(name: "org.bluez.Error.Rejected", message: "The bridge does not agree")

  private let bus: Connection
  private let configuration: AgentConfiguration
  private let isOurs: @BridgeQueue (_ devicePath: String) -> Bool
  private var isExported = false
  /// bluetoothd's unique name; nobody else is answered.
  private var daemon: String?

  /// - Parameter isOurs: whether the bridge itself holds or wants the link to a device.
  init(
    bus: Connection, configuration: AgentConfiguration,
    isOurs: @escaping @BridgeQueue (_ devicePath: String) -> Bool
  ) {
    self.bus = bus
    self.configuration = configuration
    self.isOurs = isOurs
  }

  /// To be called for each new bluetoothd: a registration ends with the daemon that took it.
  ///
  /// - Parameter daemon: the unique name of `org.bluez`.
  func register(daemon: String) {
    guard configuration.mode != .none else { return }
    self.daemon = daemon
    if !isExported {
      isExported = true
      bus.export(Self.path) { [weak self] call, reply in
        guard let self else { return reply(.failure(Self.rejected)) }
        reply(answer(call))
      }
    }
    let message = manager("RegisterAgent")
    message.append(.objectPath(Self.path), .string(configuration.mode.capability))
    bus.call(message) { result in
      if case .failure(let error) = result, error.name != "org.bluez.Error.AlreadyExists" {
        return Log.error("agent", "pairing will fail, RegisterAgent: \(error)")
      }
      if self.configuration.mode.isDefault { self.requestDefault() }
    }
  }

  func unregister() {
    guard isExported else { return }
    isExported = false
    daemon = nil
    bus.call(manager("UnregisterAgent").append(.objectPath(Self.path))) { _ in }
    bus.unexport(Self.path)
  }

  private func requestDefault() {
    bus.call(manager("RequestDefaultAgent").append(.objectPath(Self.path))) { result in
      if case .failure(let error) = result { Log.error("agent", "RequestDefaultAgent: \(error)") }
    }
  }

  private func manager(_ member: String) -> Message {
    Message.methodCall(to: "org.bluez", path: Self.managerPath, interface: Self.managerInterface, member: member)
  }

  // MARK: Answers

  private func answer(_ call: Message) -> Result<[Value], DBusError> {
    guard call.interface == nil || call.interface == Self.interface else {
      return .failure(DBusError(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "Only \(Self.interface)"))
    }
    guard call.sender == daemon else {
      return .failure(DBusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Only bluetoothd may ask"))
    }
    let member = call.member ?? ""
    let arguments = call.arguments
    switch member {
    case "Release", "Cancel":
      Log.info("agent", member == "Cancel" ? "pairing was cancelled" : "no longer registered")
      return .success([])
    default: break
    }
    guard let device = arguments.first?.objectPath?.text, isOurs(device) else { return .failure(Self.rejected) }
    return answer(member, device, arguments.dropFirst().first?.int)
  }

  private func answer(_ member: String, _ device: String, _ number: Int?) -> Result<[Value], DBusError> {
    let mode = configuration.mode
    switch member {
    // Asked for pairing without numbers, also for pairing that the bridge itself set off.
    case "RequestAuthorization":
      Log.notice("agent", "\(device): pairing agreed to")
      return .success([])
    case "RequestConfirmation":
      Log.notice(
        "agent", "\(device): shows \(Self.digits(number)), \(mode.confirms ? "taken for compared" : "refused")")
      return mode.confirms ? .success([]) : .failure(Self.rejected)
    case "DisplayPasskey", "DisplayPinCode":
      Log.notice("agent", "\(device): type \(Self.digits(number)) on the device")
      return .success([])
    case "RequestPasskey":
      guard mode.types, let passkey = configuration.passkey else {
        Log.notice(
          "agent", "\(device): asks for the number it shows; start with --passkey and an agent with a keyboard")
        return .failure(Self.rejected)
      }
      return .success([.uint32(passkey)])
    // Of BR/EDR: no business of the bridge.
    case "RequestPinCode", "AuthorizeService": return .failure(Self.rejected)
    default:
      return .failure(DBusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "No method \(member)"))
    }
  }

  /// Six digits, as devices show them.
  private static func digits(_ number: Int?) -> String {
    guard let number else { return "a number" }
    let text = String(number)
    return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
  }
}
