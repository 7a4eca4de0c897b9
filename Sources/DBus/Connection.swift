public import BridgeIO
internal import CDBus

/// A private connection to a message bus, served by the bridge queue. Never blocks: connecting and `Hello` are
/// asynchronous, calls made before the answer are sent behind it.
@BridgeQueue
public final class Connection {
  /// The system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` says.
  public static func systemBusAddress() -> String { fatalError() }

  /// - Throws: `DBusError` when nobody listens at the address.
  public init(address: String) throws(DBusError) { fatalError() }

  /// `:1.42`, once `Hello` is answered.
  public private(set) var uniqueName: String? {
    get { fatalError() }
    set { fatalError() }
  }

  /// Called once when the bus closes the connection or dies; pending calls have failed by then. Not after `close`.
  public var onDisconnect: (@BridgeQueue () -> Void)?

  /// Hears every signal the bus routes here (see `addMatch`), in order, on the turn it arrives; a reply is
  /// completed before a signal sent behind it.
  public var onSignal: (@BridgeQueue (Message) -> Void)?

  /// A call whose reply comes as late as it likes: no time limit. The reply may never come; see `PendingCall.cancel`.
  @discardableResult
  public func call(
    _ message: Message, completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) -> PendingCall { fatalError() }

  /// Sends without awaiting anything: signals, replies.
  public func send(_ message: Message) { fatalError() }

  /// `type='signal',sender='org.bluez'`…; errors are logged.
  public func addMatch(_ rule: String) { fatalError() }

  public func requestName(_ name: String, completion: @escaping @BridgeQueue (DBusError?) -> Void) { fatalError() }

  /// Serves method calls on `path` (and, with `subtree`, below it). Exactly one reply is owed through `reply`.
  /// Unknown paths, interfaces and members are answered with the standard errors; `Introspectable`, `Peer` by us.
  public func export(
    _ path: ObjectPath, subtree: Bool = false,
    handler:
      @escaping @BridgeQueue (_ call: Message, _ reply: @escaping @BridgeQueue (Result<[Value], DBusError>) -> Void)
      -> Void
  ) { fatalError() }
  public func unexport(_ path: ObjectPath) { fatalError() }

  /// Closes; pending calls fail with `.disconnected`.
  public func close() { fatalError() }
}

/// A call in flight.
@BridgeQueue
public final class PendingCall {
  init() {}
  /// Forgets the call: its completion is dropped, a late reply ignored.
  public func cancel() { fatalError() }
}
