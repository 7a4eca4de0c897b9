import BridgeIO
import DBus

@BridgeQueue
protocol BlueZServiceObserver: AnyObject {
  /// `state` is another. After `ready` the cache still holds what it held; it is emptied when this returns.
  func serviceDidChangeState(_ service: BlueZService)
  func service(_ service: BlueZService, didReceive signal: Message)
}

/// bluetoothd as seen over one connection to the bus: who owns its name, and its objects. Survives the end of either.
@BridgeQueue
final class BlueZService {
  enum State: Equatable {
    /// The bus cannot be reached; tried again and again.
    case noBus(DBusError)
    /// Nobody owns org.bluez.
    case noOwner
    /// The bus forbids talking to it.
    case denied(DBusError)
    /// Its objects are being asked for.
    case loading
    case ready
  }

  let busAddress: String
  let cache = ObjectCache()
  weak var observer: (any BlueZServiceObserver)?
  private(set) var state: State = .noOwner
  private(set) var connection: Connection?

  private let timing: BlueZTiming
  /// bluetoothd's unique name.
  private(set) var owner: String?
  /// Tells this bluetoothd from any other that this machine has had: its name, which the bus never gives away again, and
  /// the bus' own.
  var identity: String? {
    guard let owner, let bus = connection?.serverIdentifier else { return nil }
    return "\(bus) \(owner)"
  }
  /// bluetoothd has started before our eyes, so links that it claims may be those of one that was killed.
  private(set) var startedAnew = false
  private var retry: QueueTimer?
  private var busRetryDelay: Duration
  private var triedActivation = false

  init(busAddress: String, timing: BlueZTiming) {
    self.busAddress = busAddress
    self.timing = timing
    busRetryDelay = timing.busRetryFirst
  }

  func start() { connect() }

  func stop() {
    retry?.cancel()
    connection?.onSignal = nil
    connection?.onDisconnect = nil
    connection?.close()
    connection = nil
    owner = nil
    cache.removeAll()
  }

  // MARK: Calls

  /// Calls bluetoothd. Without a connection the completion says so, later.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [],
    completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) -> PendingCall? {
    guard let connection else {
      BridgeQueue.atEndOfTurn { completion(.failure(.disconnected)) }
      return nil
    }
    let message = Message.methodCall(
      to: BlueZ.service, path: ObjectPath(path), interface: interface, member: member)
    return connection.call(message.append(contentsOf: arguments), completion: completion)
  }

  /// Calls back after bluetoothd has answered a question about `path`: signals that it owed by then have arrived.
  @discardableResult
  func barrier(
    at path: String, _ interface: String, property: String,
    completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) -> PendingCall? {
    call(path, Bus.properties, Bus.get, [.string(interface), .string(property)], completion: completion)
  }

  // MARK: The bus

  private func connect() {
    do {
      let connection = try Connection(address: busAddress)
      self.connection = connection
      connection.onDisconnect = { [weak self] in self?.busDied() }
      connection.onSignal = { [weak self] in self?.received($0) }
      // Before the first question, so that nothing falls between its answer and the signals.
      connection.addMatch(
        "type='signal',sender='\(Bus.service)',interface='\(Bus.service)',member='\(Bus.nameOwnerChanged)',arg0='\(BlueZ.service)'"
      )
      connection.addMatch("type='signal',sender='\(BlueZ.service)'")
      askForOwner()
    } catch {
      busFailed(error)
    }
  }

  private func busDied() {
    Log.error("bluez", "the connection to the bus was lost")
    busFailed(.disconnected)
  }

  private func busFailed(_ error: DBusError) {
    connection = nil
    owner = nil
    change(to: .noBus(error))
    after(busRetryDelay) { $0.connect() }
    busRetryDelay = min(busRetryDelay * 2, timing.busRetryMaximum)
  }

  private func after(_ delay: Duration, _ body: @escaping @BridgeQueue (BlueZService) -> Void) {
    retry?.cancel()
    retry = QueueTimer(after: delay) { [weak self] in if let self { body(self) } }
  }

  private func askBus(
    _ member: String, _ arguments: [Value], completion: @escaping @BridgeQueue (Result<Message, DBusError>) -> Void
  ) {
    let call = Message.methodCall(
      to: Bus.service, path: ObjectPath(Bus.path), interface: Bus.service, member: member)
    connection?.call(call.append(contentsOf: arguments), completion: completion)
  }

  // MARK: The owner

  private func askForOwner() {
    askBus(Bus.getNameOwner, [.string(BlueZ.service)]) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let reply): if owner == nil, let name = reply.read({ $0.string() }) { ownerAppeared(name) }
      case .failure(.disconnected): break
      case .failure:
        busRetryDelay = timing.busRetryFirst
        if owner == nil { change(to: .noOwner) }
        activate()
      }
    }
  }

  /// Once in our life: later absence is somebody's will.
  private func activate() {
    guard !triedActivation else { return }
    triedActivation = true
    askBus(Bus.startServiceByName, [.string(BlueZ.service), .uint32(0)]) { result in
      if case .failure(let error) = result { Log.notice("bluez", "bluetoothd is not running (\(error))") }
    }
  }

  private func received(_ signal: Message) {
    if let owner, signal.isSent(by: owner) {
      if state == .ready { observer?.service(self, didReceive: signal) }
    } else if signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), signal.isSent(by: Bus.service) {
      ownerChanged(signal)
    }
  }

  private func ownerChanged(_ signal: Message) {
    let names = signal.arguments.map { $0.string ?? "" }
    guard names.count == 3, names[0] == BlueZ.service, names[2] != owner ?? "" else { return }
    if owner != nil {
      Log.notice("bluez", "bluetoothd is gone")
      owner = nil
      retry?.cancel()
      change(to: .noOwner)
    }
    if !names[2].isEmpty {
      startedAnew = true
      ownerAppeared(names[2])
    }
  }

  private func ownerAppeared(_ name: String) {
    owner = name
    busRetryDelay = timing.busRetryFirst
    change(to: .loading)
    load()
  }

  /// Links that bluetoothd claims may be believed from now on.
  func settled() { startedAnew = false }

  private func load() {
    let asked = owner
    call("/", Bus.objectManager, Bus.getManagedObjects) { [weak self] result in
      guard let self, owner == asked, asked != nil else { return }
      switch result {
      case .success(let reply):
        // Signals sent before the reply are in it; those behind it find `ready`.
        cache.load(reply)
        change(to: .ready)
      case .failure(let error): loadFailed(error)
      }
    }
  }

  private func loadFailed(_ error: DBusError) {
    if error.name == Bus.ErrorName.accessDenied {
      change(to: .denied(error))
      after(timing.busRetryMaximum) { $0.load() }
    } else {
      Log.notice("bluez", "bluetoothd does not list its objects: \(error)")
      after(timing.busRetryFirst) { $0.load() }
    }
  }

  private func change(to new: State) {
    guard new != state else { return }
    state = new
    observer?.serviceDidChangeState(self)
    if new != .ready { cache.removeAll() }
  }
}
