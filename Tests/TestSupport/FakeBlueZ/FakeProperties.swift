import BridgeIO
import DBus

/// `org.freedesktop.DBus.Properties` on the fake's objects.
@BridgeQueue
enum FakeProperties {
  static func handle(_ call: FakeCall, on object: FakeObject) {
    let interface = call.arguments.first?.string ?? ""
    guard let properties = object.interfaces[interface] else {
      return call.fail(.invalidArguments("No such interface '\(interface)'"))
    }
    if call.member == "GetAll" { return call.reply(.properties(properties)) }
    let name = call.arguments.dropFirst().first?.string ?? ""
    switch call.member {
    case "Get":
      guard let value = properties[name] else {
        return call.fail(.invalidArguments("No such property '\(name)'"))
      }
      call.reply(.variant(value))
    case "Set":
      guard let setter = object.setters[interface], case .variant(let value)? = call.arguments.last else {
        return call.fail(readOnly(name))
      }
      setter(name, value, call)
    default: call.fail(.unknownMethod(call.message))
    }
  }

  static func readOnly(_ name: String) -> DBusError {
    DBusError(
      name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "Property '\(name)' is not writable")
  }
}
