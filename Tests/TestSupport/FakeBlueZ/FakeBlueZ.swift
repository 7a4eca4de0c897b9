public import BridgeIO
import DBus

/// A bluetoothd for tests: `org.bluez` on a private bus, behaving by default as the real daemon does (signals before
/// the replies that imply them, its errors, sessions per bus name, lost replies), with a hook for every call.
///
/// The test is the air and the hardware: it adds adapters and peripherals, lets them advertise, notify and vanish.
@BridgeQueue
public final class FakeBlueZ {
  public let address: String
  /// Delays and limits, changed before use.
  public var timing = FakeTiming()
  /// Every call received, oldest first, while `keepsJournal`.
  public private(set) var journal: [FakeCall] = []
  public var keepsJournal = true
  public internal(set) var adapters: [FakeAdapter] = []
  /// Registered pairing agents, the first of which is the default.
  public internal(set) var agents: [FakeAgent] = []

  let tree = FakeObjectTree()
  private let hooks = FakeHooks()
  private(set) var connection: Connection?
  private var waiters: [Waiter] = []

  private struct Waiter {
    var member: String
    var path: String?
    var occurrence: Int
    var resume: @BridgeQueue (FakeCall) -> Void
  }

  public init(address: String) { self.address = address }

  /// A daemon that owns its name, with one powered adapter hci0 unless `adapter` is nil.
  public static func start(on bus: PrivateBus, adapter: String? = "hci0") async throws -> FakeBlueZ {
    let fake = FakeBlueZ(address: bus.address)
    if let adapter { fake.addAdapter(adapter) }
    try await fake.start()
    return fake
  }

  // MARK: Life

  /// Connects and takes the name.
  public func start() async throws {
    let connection = try Connection(address: address)
    self.connection = connection
    tree.connection = connection
    connection.export("/", subtree: true) { [weak self] call, reply in self?.handle(call, reply) }
    connection.onSignal = { [weak self] in self?.handleSignal($0) }
    connection.addMatch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''")
    addManagerObject()
    tree.flush()
    try await connection.requestName("org.bluez")
  }

  /// Dies at once, as by SIGKILL: the name is gone, calls to it fail, nothing is told before. Stored devices are
  /// remembered, and links live on in the kernel.
  public func die() {
    connection?.close()
    connection = nil
    tree.connection = nil
    forgetClients()
    for adapter in adapters { adapter.daemonEnded() }
    tree.removeAll()
  }

  /// Ends in order, powering down first.
  public func stop() {
    for adapter in adapters where adapter.isPresent { adapter.powerDown() }
    tree.flush()
    die()
  }

  /// A new daemon after `die` or `stop`: adapters and stored devices come back, sessions do not. Links that outlived
  /// a death are announced as connected and dropped a moment later.
  public func comeBack(powered: Bool = true) async throws {
    for adapter in adapters where adapter.isPresent { adapter.daemonStarted(powered: powered) }
    try await start()
    for adapter in adapters { adapter.dropLinksOfThePast() }
  }

  /// `stop` and `comeBack`.
  public func restart() async throws {
    stop()
    try await comeBack()
  }

  // MARK: Hardware

  @discardableResult
  public func addAdapter(
    _ name: String = "hci0", address: String = "00:00:00:00:AA:01", powered: Bool = true
  ) -> FakeAdapter {
    let adapter = FakeAdapter(name: name, address: address, fake: self)
    adapters.append(adapter)
    adapter.plug(as: name, powered: powered)
    return adapter
  }

  /// The first adapter.
  public var adapter: FakeAdapter { adapters[0] }

  // MARK: Hooks

  /// Decides what is done with calls of `member` (on `path`, if given), the newest hook first; `times` calls at most.
  public func onCall(
    _ member: String, path: String? = nil, times: Int? = nil,
    _ action: @escaping @BridgeQueue (FakeCall) -> FakeAction
  ) {
    hooks.add(member, path: path, times: times, action: action)
  }

  public func removeHooks() { hooks.removeAll() }

  // MARK: Journal

  public func calls(_ member: String, path: String? = nil) -> [FakeCall] {
    journal.filter { $0.member == member && (path == nil || $0.path == path) }
  }

  public func clearJournal() { journal = [] }

  /// Waits for the `occurrence`th call of `member` in the journal, which may have come already. By then it has been
  /// handled, or held.
  @discardableResult
  public func call(_ member: String, path: String? = nil, occurrence: Int = 1) async -> FakeCall {
    await withCheckedContinuation { continuation in
      // Looked at in here: an `await` may let other work in before it.
      let known = calls(member, path: path)
      if known.count >= occurrence { return continuation.resume(returning: known[occurrence - 1]) }
      waiters.append(
        Waiter(member: member, path: path, occurrence: occurrence) { continuation.resume(returning: $0) })
    }
  }

  private func wakeWaiters(_ call: FakeCall) {
    guard !waiters.isEmpty else { return }
    let woken = waiters.filter { isMet($0, by: call) }
    waiters.removeAll { isMet($0, by: call) }
    for waiter in woken { waiter.resume(call) }
  }

  private func isMet(_ waiter: Waiter, by call: FakeCall) -> Bool {
    waiter.member == call.member && calls(waiter.member, path: waiter.path).count == waiter.occurrence
      && (waiter.path == nil || waiter.path == call.path)
  }

  // MARK: Calls

  private func handle(_ message: Message, _ reply: @escaping FakeCall.CallAnswer) {
    let call = FakeCall(message, beforeReply: { [tree] in tree.flush() }, answer: reply)
    if keepsJournal { journal.append(call) }
    call.body = { [weak self] in self?.perform($0) }
    hooks.apply(to: call)
    if keepsJournal { wakeWaiters(call) }
  }

  private func perform(_ call: FakeCall) {
    if call.path == "/", call.interface == FakeNames.objectManager, call.member == "GetManagedObjects" {
      return call.reply(tree.managedObjects)
    }
    guard let object = tree.objects[call.path] else { return call.fail(.unknownObject(call.path)) }
    if call.interface == FakeNames.properties { return FakeProperties.handle(call, on: object) }
    guard object.interfaces[call.interface] != nil, let method = object.methods[call.interface + "." + call.member]
    else { return call.fail(.unknownMethod(call.message)) }
    method(call)
  }

  // MARK: Clients

  /// A client that leaves the bus takes its sessions with it.
  private func handleSignal(_ message: Message) {
    guard message.isSignal("org.freedesktop.DBus", "NameOwnerChanged") else { return }
    let arguments = message.arguments
    guard let name = arguments.first?.string, arguments.last?.string == "" else { return }
    agents.removeAll { $0.owner == name }
    for adapter in adapters { adapter.clientLeft(name) }
  }

  private func forgetClients() { agents = [] }
}
