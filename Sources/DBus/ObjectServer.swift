import BridgeIO
internal import CDBus

/// Answers a method call, through `reply`, once, at any time.
public typealias CallHandler =
  @BridgeQueue (_ call: Message, _ reply: @escaping @BridgeQueue (Result<[Value], DBusError>) -> Void) -> Void

/// The objects that a connection serves.
@BridgeQueue
final class ObjectServer {
  private var objects: [String: CallHandler] = [:]
  /// Exported with all below them, longest path first.
  private var subtrees: [(path: String, handler: CallHandler)] = []

  func export(_ path: ObjectPath, subtree: Bool, handler: @escaping CallHandler) {
    unexport(path)
    objects[path.text] = handler
    guard subtree else { return }
    subtrees.append((path.text, handler))
    subtrees.sort { $0.path.utf8.count > $1.path.utf8.count }
  }

  func unexport(_ path: ObjectPath) {
    objects.removeValue(forKey: path.text)
    subtrees.removeAll { $0.path == path.text }
  }

  func removeAll() {
    objects = [:]
    subtrees = []
  }

  func handle(_ call: Message, on connection: Connection) {
    let path = call.path ?? "/"
    if answerPeer(call, on: connection) { return }
    if call.isCall("org.freedesktop.DBus.Introspectable", "Introspect"), let text = introspection(of: path) {
      return connection.send(call.methodReturn().append(.string(text)))
    }
    guard let handler = handler(at: path) else {
      return connection.send(call.errorReply(.unknownObject(path)))
    }
    let reply = Reply(to: call, on: connection)
    handler(call) { reply.send($0) }
  }

  private func handler(at path: String) -> CallHandler? {
    if let handler = objects[path] { return handler }
    return subtrees.first { Self.contains($0.path, path) }?.handler
  }

  private static func contains(_ subtree: String, _ path: String) -> Bool {
    guard subtree != "/" else { return true }
    guard path.utf8.starts(with: subtree.utf8) else { return false }
    return path.utf8.dropFirst(subtree.utf8.count).first == UInt8(ascii: "/")
  }

  // MARK: Standard interfaces

  /// `org.freedesktop.DBus.Peer` is there on every path.
  private func answerPeer(_ call: Message, on connection: Connection) -> Bool {
    if call.isCall("org.freedesktop.DBus.Peer", "Ping") {
      connection.send(call.methodReturn())
      return true
    }
    guard call.isCall("org.freedesktop.DBus.Peer", "GetMachineId") else { return false }
    if let identifier = dbus_try_get_local_machine_id(nil) {
      connection.send(call.methodReturn().append(.string(String(cString: identifier))))
      dbus_free(identifier)
    } else {
      connection.send(call.errorReply(.failed("This machine has no identifier")))
    }
    return true
  }

  /// Which objects there are below; their interfaces are left to the handlers' documentation.
  private func introspection(of path: String) -> String? {
    let prefix = path == "/" ? "/" : path + "/"
    var children: Set<Substring> = []
    for exported in objects.keys where exported.hasPrefix(prefix) && exported != path {
      children.insert(exported.dropFirst(prefix.count).prefix { $0 != "/" })
    }
    guard !children.isEmpty || handler(at: path) != nil else { return nil }
    let nodes = children.sorted().map { "<node name=\"\($0)\"/>" }.joined()
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
      "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node><interface name="org.freedesktop.DBus.Introspectable"><method name="Introspect">\
      <arg name="xml" type="s" direction="out"/></method></interface>\
      <interface name="org.freedesktop.DBus.Peer"><method name="Ping"/><method name="GetMachineId">\
      <arg name="id" type="s" direction="out"/></method></interface>\(nodes)</node>
      """
  }
}

/// The one reply that a call is owed; later ones are dropped, as is any to a caller that wants none.
@BridgeQueue
private final class Reply {
  private var call: Message?
  private weak var connection: Connection?

  init(to call: Message, on connection: Connection) {
    self.call = call.wantsReply ? call : nil
    self.connection = connection
  }

  func send(_ result: Result<[Value], DBusError>) {
    guard let call else { return }
    self.call = nil
    switch result {
    case .success(let values): connection?.send(call.methodReturn().append(contentsOf: values))
    case .failure(let error): connection?.send(call.errorReply(error))
    }
  }
}
