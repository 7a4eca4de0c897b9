import BridgeIO
import BridgeProtocol
import Foundation
import Synchronization

/// What one central manager has under way at the service. What it learns goes to the manager by its callback queue.
@BridgeQueue
final class CentralSession: ServiceConnectionOwner {
  let connection: ServiceConnection
  private nonisolated let number: Int
  private var manager: WeakReference<CBCentralManager>?
  private var callbacks: CallbackQueue?
  private var scan: CentralScan?
  /// Stands for as long as the manager does, also at a service that comes back.
  private var registration: RegisterForConnectionEvents?
  var links: [PeripheralIdentifier: PeripheralLink] = [:]
  /// Cancelled links, in order, whose cancel the service has not answered.
  var cancelled: [PeripheralIdentifier: [PeripheralLink]] = [:]
  let channels: ServiceChannels
  /// Requests that wait for a cancel whose emulated delay runs, the cancel first.
  var slowCancels: [PeripheralIdentifier: [ClientMessage]] = [:]
  let memory = PeripheralMemory()
  /// Answers to come, by the number of the question.
  var retrievals: [Int: Retrieval] = [:]
  var retrievalCount = 0
  let isRestorable: Bool
  private var isRestored = false
  private var isClosed = false
  private var isSettling = false
  private var isServiceLost = false

  private nonisolated static let count = Atomic<Int>(0)

  nonisolated init(
    endpoint: ServiceEndpoint, options: [String: Any]?, timing: ServiceConnection.Timing = ServiceConnection.Timing()
  ) {
    let restoreIdentifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
    isRestorable = restoreIdentifier != nil
    number = Self.count.add(1, ordering: .relaxed).newValue
    connection = ServiceConnection(
      to: endpoint, features: [.state, .errors, .mtu, .connectionEvents, .retrieve, .flow, .restore],
      restoreIdentifier: restoreIdentifier, timing: timing)
    channels = ServiceChannels(connection, pausedWith: .flow)
  }

  /// Begins to serve a manager.
  nonisolated func start(_ manager: CBCentralManager) {
    let (callbacks, manager) = (manager.callbacks, WeakReference(manager))
    BridgeQueue.async { [self] in
      guard !isClosed else { return }
      self.manager = manager
      self.callbacks = callbacks
      callbacks.onRelief { [weak self] in BridgeQueue.async { self?.keepPace() } }
      channels.onSend = { [weak self] in self?.settleLater() }
      connection.open(for: self)
    }
  }

  /// The manager is no more.
  func close() {
    isClosed = true
    if isRestorable {
      // The service would keep it all for an app that comes back.
      if scan != nil { connection.send(.stopScan(StopScan())) }
      for link in links.values { connection.send(.cancel(Cancel(id: link.id))) }
    }
    for link in links.values { end(link) }
    links = [:]
    failRetrievals()
    connection.close()
  }

  /// The app is no more, as far as the service can tell.
  func abandon() {
    isClosed = true
    for link in links.values { end(link) }
    links = [:]
    failRetrievals()
    connection.abandon()
  }

  /// Runs `body` on the manager's queue, if the manager is still there.
  func tell(_ body: @escaping @Sendable (CBCentralManager) -> Void) {
    guard let manager else { return }
    callbacks?.add { if let manager = manager.object { body(manager) } }
  }

  // MARK: The service

  func connection(_ connection: ServiceConnection, didUpdateState state: AdapterState, isLost: Bool) {
    if state != .poweredOn { scan = nil }
    let ended = state == .poweredOn ? [] : Array(links.values)
    if state != .poweredOn {
      for link in ended { end(link, isLost ? .serviceLost : .peripheralDisconnected) }
      links = [:]
      cancelled = [:]
      failRetrievals()
      slowCancels = [:]
    }
    isServiceLost = isServiceLost || isLost
    if state == .poweredOn, isServiceLost {
      isServiceLost = false
      if let registration { send(.registerForConnectionEvents(registration)) }
    }
    tell { $0.didUpdateState(state, lost: isLost ? ended : []) }
  }

  func connection(_ connection: ServiceConnection, didReceive message: ServerMessage) {
    handle(message)
    keepPace()
  }

  /// Takes from the service what the app's queue can take.
  func keepPace() {
    if let callbacks { connection.follow(callbacks, unless: isAwaited) }
  }

  /// What does not come by the app's queue, and what a thread of the app's may hold that queue up for: answers of
  /// retrieving calls, bytes of channels, room for writes.
  private var isAwaited: Bool {
    !retrievals.isEmpty || !channels.isEmpty || links.values.contains { $0.writes.isUnderWay }
  }

  private func handle(_ message: ServerMessage) {
    let isBridge = connection.isBridge
    switch message {
    case .didUpdateValue(let update): deliver(update.id, update.error) { $0.didUpdate(update) }
    case .didWriteValue(let reply): deliver(reply.id, reply.error) { $0.didWrite(reply) }
    case .didDiscover(let report): discovered(report)
    case .didConnect(let event): connected(event.id)
    case .didFailConnect(let event): failed(event.id, event.error ?? .connectionFailed)
    case .didDisconnect(let event): disconnected(event)
    case .didUpdateName(let update): tell { $0.didUpdate(update) }
    case .didReadRSSI(let reply): deliver(reply.id, reply.error) { $0.didRead(reply) }
    case .didDiscoverServices(let reply):
      deliver(reply.id, reply.error) { $0.didDiscover(reply, accumulates: isBridge) }
    case .didDiscoverIncludedServices(let reply):
      deliver(reply.id, reply.error) { $0.didDiscover(reply, accumulates: isBridge) }
    case .didDiscoverCharacteristics(let reply):
      deliver(reply.id, reply.error) { $0.didDiscover(reply, accumulates: isBridge) }
    case .didDiscoverDescriptors(let reply): deliver(reply.id, reply.error) { $0.didDiscover(reply) }
    case .didUpdateDescriptorValue(let update): deliver(update.id, update.error) { $0.didUpdate(update) }
    case .didWriteDescriptorValue(let reply): deliver(reply.id, reply.error) { $0.didWrite(reply) }
    case .didUpdateNotification(let update): deliver(update.id, update.error) { $0.didUpdate(update) }
    case .didModifyServices(let change): deliver(change.id) { $0.didModify(change) }
    case .didUpdateMTU(let update):
      connectedLink(update.id)?.writes.maximumLength = update.maximumWriteValueLength
    case .connectionEvent(let event): tell { $0.didOccur(event) }
    case .didOpenL2CAP(let reply): opened(reply)
    case .l2capData(let data): channels.received(data)
    case .l2capClosed(let event): channels.closed(event)
    case .didRetrievePeripherals(let reply): retrieved(reply)
    case .didTakeWrites(let event): tookWrites(event)
    case .didRestoreState(let state): restore(state)
    default: break
    }
  }

  func send(_ message: ClientMessage) { connection.send(message) }

  // MARK: An earlier run

  /// What the service has kept for the app. It comes before the first state; what comes later, after the service had been
  /// lost, the app has been told to be over.
  private func restore(_ state: DidRestoreState) {
    guard !isRestored, let manager = manager?.object else {
      for id in state.peripheralIds { send(.cancel(Cancel(id: id))) }
      if state.isScanning { send(.stopScan(StopScan())) }
      return
    }
    isRestored = true
    guard !state.peripheralIds.isEmpty || state.isScanning else { return }
    if state.isScanning { scan = manager.restoredScan(state) }
    let restored = state.peripherals.map { held in
      let peripheral = manager.peripherals.peripheral(held.id, of: manager)
      let link = PeripheralLink(peripheral, .none, writeQueueDepth: connection.endpoint.writeQueueDepth)
      link.phase = held.isConnected ? .connected : .connecting
      links[held.id] = link
      return Held((peripheral, link, held))
    }
    tell { $0.willRestore(state, restored.map(\.object)) }
  }

  // MARK: Connection events

  func register(_ registration: RegisterForConnectionEvents) {
    self.registration = registration
    send(.registerForConnectionEvents(registration))
  }

  // MARK: Scanning

  func scan(_ scan: CentralScan) {
    self.scan = scan
    connection.send(.scan(scan.request(scanner: number, isBridge: connection.isBridge)))
  }

  func stopScan() {
    guard scan != nil else { return }
    scan = nil
    connection.send(.stopScan(StopScan()))
  }

  private func discovered(_ report: DidDiscover) {
    guard let number = scan?.number else { return }
    if connection.isBridge {
      guard scan?.admits(report.advertisement) == true else { return }
    } else {
      memory.note(report)
      guard scan?.isNews(report) == true else { return }
    }
    tell { $0.didDiscover(report, scan: number) }
  }

  // MARK: Peripherals

  func connectedLink(_ id: PeripheralIdentifier) -> PeripheralLink? {
    guard let link = links[id], link.phase == .connected else { return nil }
    return link
  }

  /// Runs `body` on the manager's queue, if the connection still stands then for the app.
  func deliver(_ id: PeripheralIdentifier, _ body: @escaping @Sendable (CBPeripheral) -> Void) {
    guard let link = connectedLink(id) else { return }
    callbacks?.add {
      guard let peripheral = link.peripheral.object, peripheral.isConnected(by: link) else { return }
      body(peripheral)
    }
  }

  /// The same for the answer to a request. What fails because the link has gone is not told: the link's end is, which
  /// comes right behind.
  private func deliver(
    _ id: PeripheralIdentifier, _ error: BluetoothError?, _ body: @escaping @Sendable (CBPeripheral) -> Void
  ) {
    guard let error, error.isOfLostLink, let link = connectedLink(id) else { return deliver(id, body) }
    BridgeQueue.atEndOfTurn { [weak self] in
      if link.phase == .connected { self?.deliver(id, body) }
    }
  }

  /// Sends a request of a connected peripheral's.
  func request(_ message: ClientMessage, over link: PeripheralLink) {
    guard link.phase == .connected else { return }
    connection.send(message)
  }

  // MARK: Writes without response

  func writeWithoutResponse(_ request: WriteCharacteristic, over link: PeripheralLink) {
    guard link.phase == .connected else { return }
    connection.send(.write(request))
    // A service that tells when the radio has taken it is asked; with others the socket is all that can be known.
    guard !connection.features.contains(.flow) else { return keepPace() }
    link.unsettledWrites += 1
    settleLater()
  }

  private func tookWrites(_ event: DidTakeWrites) {
    guard let link = connectedLink(event.id) else { return }
    if link.writes.finish(event.count) { tellReady(link) }
  }

  private func settleLater() {
    if !isSettling { BridgeQueue.atEndOfTurn { self.settle() } }
    isSettling = true
  }

  /// What the socket has taken is no longer on its way.
  private func settle() {
    isSettling = false
    guard !connection.isCongested else { return }
    channels.settle()
    for link in links.values where link.unsettledWrites > 0 {
      let count = link.unsettledWrites
      link.unsettledWrites = 0
      if link.writes.finish(count) { tellReady(link) }
    }
  }

  func connectionDidDrain(_ connection: ServiceConnection) { settle() }

  private func tellReady(_ link: PeripheralLink) { deliver(link.id) { $0.isReadyToWrite() } }
}

extension BluetoothError {
  /// Whether a request can fail with it because its link has gone.
  fileprivate var isOfLostLink: Bool {
    domain == .bluetooth
      && [Self.notConnected, .connectionTimeout, .peripheralDisconnected].contains { $0.code == code }
  }
}
