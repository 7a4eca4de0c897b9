public import BridgeIO
internal import CDBus
import Glibc

/// A private connection to a message bus, served by the bridge queue. Never blocks: connecting and `Hello` are
/// asynchronous, calls made before the answer are sent behind it.
///
/// Ends by `close`, by the bus' death, or with its last user.
@BridgeQueue
public final class Connection {
  /// `:1.42`, once `Hello` is answered.
  public private(set) var uniqueName: String?

  /// Called once when the bus closes the connection or dies; pending calls have failed by then. Not after `close`.
  public var onDisconnect: (@BridgeQueue () -> Void)?

  /// Hears every signal the bus routes here (see `addMatch`), in order, on the turn it arrives; a reply is
  /// completed before a signal sent behind it.
  public var onSignal: (@BridgeQueue (Message) -> Void)?

  /// nil once closed.
  private var raw: OpaquePointer?
  private let watches = WatchSource()
  private let pending = PendingCalls()
  private let server = ObjectServer()
  private var isReceiving = false
  private var willReceive = false

  /// Messages handled in one turn, so that a busy bus does not starve clients.
  private static let messagesPerTurn = 256

  /// - Throws: `DBusError` when nobody listens at the address.
  public init(address: String) throws(DBusError) {
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    guard let raw = dbus_connection_open_private(address, &error) else {
      defer { dbus_error_free(&error) }
      throw DBusError(name: String(cString: error.name), message: String(cString: error.message))
    }
    self.raw = raw
    dbus_connection_set_exit_on_disconnect(raw, 0)
    watches.onActivity = { [weak self] in self?.receive() }
    watches.attach(to: raw)
    watchStatus(of: raw)
    sayHello()
  }

  isolated deinit { close() }

  public var isOpen: Bool { raw != nil }

  /// The bus' GUID, another one each time that the bus starts; nil before it is known.
  public var serverIdentifier: String? {
    guard let raw, let text = dbus_connection_get_server_id(raw) else { return nil }
    defer { dbus_free(text) }
    return String(cString: text)
  }

  // MARK: Sending

  /// A call whose reply comes as late as it likes: no time limit. The reply may never come; see `PendingCall.cancel`.
  @discardableResult
  public func call(
    _ message: Message, completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) -> PendingCall {
    // The copy of a call that was sent without awaiting anything.
    dbus_message_set_no_reply(message.raw, 0)
    guard let serial = transmit(message) else { return failSoon(completion) }
    return pending.add(serial: serial, completion: completion)
  }

  /// Sends without awaiting anything: signals, replies, calls whose reply does not matter.
  public func send(_ message: Message) {
    if dbus_message_get_type(message.raw) == DBUS_MESSAGE_TYPE_METHOD_CALL { dbus_message_set_no_reply(message.raw, 1) }
    _ = transmit(message)
  }

  /// The serial, or nil if the connection is closed or cannot carry the message's descriptors.
  private func transmit(_ message: Message) -> UInt32? {
    guard let raw else { return nil }
    Log.debug("dbus", "send \(message.summary)")
    var serial: UInt32 = 0
    return dbus_connection_send(raw, message.raw, &serial) != 0 ? serial : nil
  }

  private func failSoon(_ completion: @escaping PendingCall.Completion) -> PendingCall {
    let call = PendingCall(serial: 0, in: nil, completion: completion)
    BridgeQueue.async { call.complete(.failure(.disconnected)) }
    return call
  }

  private func sayHello() {
    let hello = Message.methodCall(
      to: Bus.name, path: Bus.path, interface: Bus.interface, member: "Hello", autoStart: true)
    call(hello) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let reply): uniqueName = reply.read { $0.string() }
      case .failure(let error):
        // A bus that refuses us serves nothing else on this connection.
        guard isOpen else { return }
        Log.error("dbus", "the bus refused the connection: \(error)")
        end(.disconnected, tell: true)
      }
    }
  }

  // MARK: Receiving

  private func receive() {
    guard !isReceiving else { return }
    isReceiving = true
    defer { isReceiving = false }
    for _ in 0..<Self.messagesPerTurn {
      guard let raw, let message = dbus_connection_pop_message(raw) else { return }
      handle(Message(owning: message))
    }
    receiveLater()
  }

  /// The rest waits for the next turn, behind the descriptors that are ready then.
  private func receiveLater() {
    guard !willReceive else { return }
    willReceive = true
    BridgeQueue.async { [weak self] in
      guard let self else { return }
      willReceive = false
      receive()
    }
  }

  private func handle(_ message: Message) {
    Log.debug("dbus", "received \(message.summary)")
    switch message.kind {
    case .methodReturn, .error: pending.complete(message)
    case .methodCall: server.handle(message, on: self)
    case .signal:
      if message.isSignal("org.freedesktop.DBus.Local", "Disconnected") {
        end(.disconnected, tell: true)
      } else {
        onSignal?(message)
      }
    }
  }

  /// libdbus may find messages while it sends; they are handled at the end of the turn, for it forbids receiving from
  /// its own callbacks. Those that it finds while the watches are handled are received right after.
  fileprivate func statusChanged() {
    guard !isReceiving, !willReceive, !watches.isHandling else { return }
    willReceive = true
    BridgeQueue.atEndOfTurn { [weak self] in
      guard let self else { return }
      willReceive = false
      receive()
    }
  }

  /// The pointer is not retained: `end`, which the last user's going runs too, takes the callback away first.
  private func watchStatus(of raw: OpaquePointer) {
    dbus_connection_set_dispatch_status_function(raw, statusCallback, Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  // MARK: Serving

  /// Serves method calls on `path` (and, with `subtree`, below it). Exactly one reply is owed through `reply`.
  /// Unknown paths are answered with the standard error, `Introspectable` and `Peer` by us; unknown interfaces and
  /// members by the handler, with `DBusError.unknownMethod`.
  public func export(_ path: ObjectPath, subtree: Bool = false, handler: @escaping CallHandler) {
    server.export(path, subtree: subtree, handler: handler)
  }

  public func unexport(_ path: ObjectPath) { server.unexport(path) }

  // MARK: Ending

  /// Closes; pending calls fail with `.disconnected` before this returns.
  public func close() { end(.disconnected, tell: false) }

  private func end(_ error: DBusError, tell: Bool) {
    guard let raw else { return }
    self.raw = nil
    dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
    uniqueName = nil
    server.removeAll()
    pending.failAll(error)
    let listener = onDisconnect
    onDisconnect = nil
    onSignal = nil
    if tell { listener?() }
  }
}

private let statusCallback: DBusDispatchStatusFunction = { _, status, data in
  guard status == DBUS_DISPATCH_DATA_REMAINS, let data else { return }
  let connection = Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
  BridgeQueue.assumeIsolated { connection.statusChanged() }
}
