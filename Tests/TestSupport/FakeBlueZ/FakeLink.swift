import BridgeIO
public import DBus

/// A device's connection: Connect, Disconnect, Pair, and the requests that a link carries.
///
/// - Source: BlueZ `src/device.c`.
@BridgeQueue
final class FakeLink {
  unowned var device: FakeDevice!
  private(set) var isConnected = false
  private(set) var isResolved = false
  private(set) var isDisconnecting = false
  private var pendingConnect: FakeCall?
  /// Requests on the air, failed when the link ends.
  private var requests: [FakeCall] = []
  /// Grows with each attempt, link and end, so that what was timed for an earlier one is void.
  private var epoch = 0
  private var isSecuring = false
  private var awaitingSecurity: [@BridgeQueue (Bool) -> Void] = []

  private var timing: FakeTiming { device.fake.timing }

  func serve(_ object: FakeObject) {
    object.on(FakeNames.device, "Connect") { [unowned self] in connect($0) }
    object.on(FakeNames.device, "Disconnect") { [unowned self] in disconnect($0) }
    object.on(FakeNames.device, "Pair") { [unowned self] in pair($0) }
    object.on(FakeNames.device, "CancelPairing") { $0.fail(.bluezDoesNotExist) }
  }

  /// Runs `body` after a while unless link or attempt have changed by then.
  private func later(_ delay: Duration, _ body: @escaping @BridgeQueue () -> Void) {
    let epoch = epoch
    let guarded: @BridgeQueue @Sendable () -> Void = { [weak self] in if self?.epoch == epoch { body() } }
    if delay == .zero { BridgeQueue.async(guarded) } else { QueueTimer(after: delay, guarded) }
  }

  // MARK: Connecting

  private func connect(_ call: FakeCall) {
    guard device.adapter.isPowered else { return call.fail(.bluez("Failed", "Input/output error")) }
    // Also while the link is about to fall.
    if isConnected { return call.reply() }
    guard pendingConnect == nil else { return call.fail(.bluezInProgress) }
    device.makePermanent()
    pendingConnect = call
    epoch += 1
    if device.isReachable { later(timing.connect) { self.comeUp() } }
  }

  func becameReachable() {
    if pendingConnect != nil { later(timing.connect) { self.comeUp() } }
  }

  /// The link stands: told before the reply, services after it.
  func comeUp() {
    guard !isConnected, device.isKnown else { return }
    epoch += 1
    isConnected = true
    isDisconnecting = false
    device.update("Connected", .boolean(true))
    let call = pendingConnect
    pendingConnect = nil
    if let call { call.reply() } else { device.tree.flush() }
    later(timing.resolve) { self.resolve() }
  }

  func failConnect(_ error: DBusError) {
    guard let call = pendingConnect else { return }
    pendingConnect = nil
    epoch += 1
    call.fail(error)
    if device.isTemporary { device.removeObject() }
  }

  private func resolve() {
    guard isConnected, !isResolved else { return }
    isResolved = true
    device.attributes.resolve()
    device.update("UUIDs", .strings(device.attributes.uuids))
    device.update("ServicesResolved", .boolean(true))
    device.tree.flush()
  }

  // MARK: Ending

  private func disconnect(_ call: FakeCall) {
    if pendingConnect != nil { failConnect(.bluezConnectCancelled) }
    guard isConnected else { return call.reply() }
    isDisconnecting = true
    let fall: @BridgeQueue @Sendable () -> Void = { [weak self] in
      if let self, isDisconnecting { drop() }
      call.reply()
    }
    if timing.disconnect == .zero { BridgeQueue.async(fall) } else { QueueTimer(after: timing.disconnect, fall) }
  }

  /// The link ends: requests on it fail, then the properties tell.
  func drop() {
    guard isConnected else { return }
    let failing = requests
    endLink()
    for request in failing { request.fail(.bluez(att: 0x0E)) }
    device.update("ServicesResolved", .boolean(false))
    device.update("Connected", .boolean(false))
    device.attributes.linkEnded()
    device.tree.flush()
    device.wasSeen()
  }

  private func endLink() {
    epoch += 1
    isConnected = false
    isResolved = false
    isDisconnecting = false
    isSecuring = false
    awaitingSecurity = []
    requests = []
  }

  /// A pending Connect is never answered.
  func poweredDown() {
    pendingConnect = nil
    drop()
  }

  /// The object goes: nothing on it is answered any more.
  func vanish() {
    pendingConnect = nil
    endLink()
  }

  /// The daemon goes, the link stays.
  func loseCalls() {
    pendingConnect = nil
    requests = []
    isResolved = false
    isDisconnecting = false
    epoch += 1
  }

  // MARK: Requests

  /// Carries a request over the air, then runs `body` unless the link ended.
  func carry(_ call: FakeCall, _ body: @escaping @BridgeQueue () -> Void) {
    guard timing.request != .zero else { return body() }
    requests.append(call)
    later(timing.request) {
      self.requests.removeAll { $0 === call }
      body()
    }
  }

  /// Calls of attributes that are gone are never answered.
  func lose(requestsOn path: String) { requests.removeAll { $0.path == path } }

  // MARK: Pairing

  /// Runs `body` once the link is secure. Without an agent it never is, and the request hangs until the link ends.
  func secure(for call: FakeCall, _ body: @escaping @BridgeQueue () -> Void) {
    if device.isPaired { return body() }
    requests.append(call)
    awaitingSecurity.append { isSecure in
      guard isSecure else { return }
      self.requests.removeAll { $0 === call }
      body()
    }
    guard !isSecuring else { return }
    isSecuring = true
    startPairing(with: device.fake.agents.first)
  }

  private func pair(_ call: FakeCall) {
    if device.isPaired { return call.fail(.bluezAlreadyExists) }
    if !isConnected { comeUp() }
    guard let agent = device.fake.agents.first(where: { $0.owner == call.sender }) ?? device.fake.agents.first else {
      return call.fail(.bluezAuthenticationFailed)
    }
    awaitingSecurity.append { $0 ? call.reply() : call.fail(.bluezAuthenticationFailed) }
    guard !isSecuring else { return }
    isSecuring = true
    // Who asks for pairing himself is not asked whether to.
    if agent.owner == call.sender && device.pairing == .justWorks { return pairingEnded(true) }
    startPairing(with: agent)
  }

  private func startPairing(with agent: FakeAgent?) {
    guard let agent else { return pairingEnded(false) }
    let epoch = epoch
    agent.ask(device.pairing, about: device.path, on: device.fake.connection) { [weak self] agreed in
      if self?.epoch == epoch { self?.pairingEnded(agreed) }
    }
  }

  private func pairingEnded(_ isSecure: Bool) {
    isSecuring = false
    device.isPaired = isSecure
    if isSecure {
      device.makePermanent()
      device.update("Bonded", .boolean(true))
      device.update("Paired", .boolean(true))
    }
    let waiting = awaitingSecurity
    awaitingSecurity = []
    for waiter in waiting { waiter(isSecure) }
    device.tree.flush()
  }
}

extension FakeDevice {
  /// Someone else on this machine connects it.
  public func connectByOther() {
    if !isKnown { publish() }
    makePermanent()
    link.comeUp()
  }

  /// The link is lost, or the peripheral hangs up. `reason` is what BlueZ 5.83 and later say on Device1.
  public func dropLink(reason: String? = nil) {
    if let reason, let connection = fake.connection {
      let signal = Message.signal(path: ObjectPath(path), interface: FakeNames.device, member: "Disconnected")
      connection.send(signal.append(.string("org.bluez.Reason." + reason), .string("Connection terminated")))
    }
    link.drop()
  }

  /// Ends a waiting Connect as the kernel does after its 40 s.
  public func failConnect(_ error: DBusError = .bluezConnectFailed) { link.failConnect(error) }
}
