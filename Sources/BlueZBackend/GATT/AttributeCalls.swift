import BridgeIO
import BridgeProtocol
import DBus

/// Makes the calls on one attribute. The last of a kind is kept, and copied for the next: libdbus checks and assembles
/// path, names and options anew in every message that it builds, which was half of all work on a write.
@BridgeQueue
struct AttributeCalls {
  enum WriteType {
    case request, command

    /// Options are the same for every call of a type.
    fileprivate var options: Value { self == .request ? Self.requestOptions : Self.commandOptions }
    private static let requestOptions = Value.properties(["type": .string("request")])
    private static let commandOptions = Value.properties(["type": .string("command")])
  }

  private static let readOptions = Value.properties([:])

  private let path: ObjectPath
  private let interface: String
  private var lastRead: Message?
  private var lastWrite: (type: WriteType, length: Int, message: Message)?

  init(path: ObjectPath, interface: String) {
    self.path = path
    self.interface = interface
  }

  mutating func read() -> Message {
    if let lastRead { return lastRead.copy() }
    let message = call(GATTNames.readValue).append(Self.readOptions)
    lastRead = message
    return message
  }

  mutating func write(_ value: [UInt8], _ type: WriteType) -> Message {
    if let lastWrite, lastWrite.type == type, lastWrite.length == value.count {
      return lastWrite.message.copy(replacingBytes: value)
    }
    let message = call(GATTNames.writeValue).append(.bytes(value), type.options)
    lastWrite = (type, value.count, message)
    return message
  }

  func setNotify(_ enabled: Bool) -> Message { call(enabled ? GATTNames.startNotify : GATTNames.stopNotify) }

  private func call(_ member: String) -> Message {
    Message.methodCall(to: GATTNames.bluez, path: path, interface: interface, member: member)
  }
}
