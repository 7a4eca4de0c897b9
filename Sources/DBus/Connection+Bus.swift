import BridgeIO
import Glibc

/// What the bus itself is called.
enum Bus {
  static let name = "org.freedesktop.DBus"
  static let path: ObjectPath = "/org/freedesktop/DBus"
  static let interface = "org.freedesktop.DBus"
}

extension Connection {
  /// The system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` says.
  public nonisolated static func systemBusAddress() -> String {
    if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 { return String(cString: address) }
    // The second is where systems without /run have it; they are tried in turn.
    return "unix:path=/run/dbus/system_bus_socket;unix:path=/var/run/dbus/system_bus_socket"
  }

  /// `type='signal',sender='org.bluez'`…; errors are logged. Holds for whatever the bus routes after it.
  public func addMatch(_ rule: String) { changeMatch("AddMatch", rule) }

  public func removeMatch(_ rule: String) { changeMatch("RemoveMatch", rule) }

  private func changeMatch(_ member: String, _ rule: String) {
    call(busCall(member).append(.string(rule))) { result in
      if case .failure(let error) = result, error != .disconnected { Log.error("dbus", "\(member) \(rule): \(error)") }
    }
  }

  /// Becomes the owner of `name`, or fails at once when another is.
  public func requestName(_ name: String, completion: @escaping @BridgeQueue (DBusError?) -> Void) {
    let doNotQueue: UInt32 = 4
    call(busCall("RequestName").append(.string(name), .uint32(doNotQueue))) { result in
      switch result {
      case .failure(let error): completion(error)
      case .success(let reply):
        let primaryOwner = 1
        let alreadyOwner = 4
        let answer = reply.read { $0.integer() }
        if answer == primaryOwner || answer == alreadyOwner { return completion(nil) }
        completion(DBusError(name: "org.freedesktop.DBus.Error.AddressInUse", message: "\(name) has another owner"))
      }
    }
  }

  public func releaseName(_ name: String, completion: @escaping @BridgeQueue (DBusError?) -> Void = { _ in }) {
    call(busCall("ReleaseName").append(.string(name))) { result in
      if case .failure(let error) = result { completion(error) } else { completion(nil) }
    }
  }

  /// A call to the bus itself.
  public func busCall(_ member: String) -> Message {
    Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.interface, member: member)
  }
}

extension Message {
  /// For the log: kind, serials and names, no content.
  var summary: String {
    let name = "\(path ?? "") \(interface ?? "").\(member ?? "")"
    return switch kind {
    case .methodCall: "call \(serial) \(name)"
    case .methodReturn: "return of \(replySerial)"
    case .error: "error of \(replySerial) \(error?.description ?? "")"
    case .signal: "signal \(name)"
    }
  }
}
