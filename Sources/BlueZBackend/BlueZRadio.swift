public import BridgeIO
public import BridgeProtocol
import DBus
public import Radio

/// A radio that is bluetoothd's: finds its adapter, keeps discovery as wished and a record per device.
@BridgeQueue
public final class BlueZRadio: Radio {
  public weak var observer: (any RadioObserver)?

  let service: BlueZService
  let discovery: Discovery
  let adapter: AdapterController
  let timing: BlueZTiming
  let identities: IdentityTable
  let traits = DaemonTraits()
  let gattPaths = GATTPaths()
  let journal: LinkJournal
  var linkEndReasons: LinkEndReasons?
  private let dispatcher: SignalDispatcher
  private let agentConfiguration: AgentConfiguration
  private var agent: Agent1?
  private(set) lazy var devices = DeviceTable(identities: identities, host: self)

  private var settling: QueueTimer?
  /// Paths of devices whose links a killed service has left; until they are listed.
  private var inherited: Set<String> = []
  /// Devices are being listed, not appearing.
  private var isListing = false
  private var answers: [(LinkEvent, PeripheralIdentifier)] = []

  public init(_ configuration: BlueZConfiguration) {
    timing = configuration.timing
    service = BlueZService(
      busAddress: configuration.busAddress ?? Connection.systemBusAddress(), timing: configuration.timing)
    discovery = Discovery(service: service, timing: configuration.timing)
    adapter = AdapterController(service: service, configuration: configuration)
    identities = IdentityTable(directory: configuration.stateDirectory)
    journal = LinkJournal(directory: configuration.stateDirectory)
    dispatcher = SignalDispatcher(cache: service.cache, gattPaths: gattPaths)
    agentConfiguration = configuration.agent
    service.observer = self
    dispatcher.observer = self
    adapter.observer = self
  }

  public var state: AdapterState { adapter.state }

  public var description: RadioDescription {
    RadioDescription(
      kind: "bluez", adapter: adapter.current?.name, address: adapter.current?.address, problem: adapter.problem)
  }

  // MARK: Start and stop

  public func start() {
    adapter.start()
    service.start()
  }

  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    discovery.scan(allowDuplicates: nil)
    var outstanding = 1
    var isFinished = false
    let finish: @BridgeQueue () -> Void = { [self] in
      guard !isFinished else { return }
      isFinished = true
      shutDown()
      completion()
    }
    let finishOne: @BridgeQueue () -> Void = { [self] in
      outstanding -= 1
      if outstanding == 0 { journal.close(completion: finish) }
    }
    QueueTimer(after: timing.stopLimit) { finish() }
    for record in devices.records.values where record.mustDisconnectAtStop {
      outstanding += 1
      record.disconnectAtStop(completion: finishOne)
    }
    for record in devices.records.values { record.radioLost() }
    identities.saveNow(completion: finishOne)
  }

  private func shutDown() {
    settling?.cancel()
    agent?.unregister()
    stopLinkEndReasons()
    adapter.stop()
    devices.detachAll()
    service.stop()
  }

  // MARK: Scanning

  public func scan(_ scan: RadioScan?) {
    let wasRunning = discovery.isRunning
    discovery.scan(allowDuplicates: scan?.allowDuplicates)
    // Repeats of what discovery already reports come only every ten seconds or so: a new scan need not wait for them.
    if scan != nil && wasRunning { BridgeQueue.atEndOfTurn { [weak self] in self?.repeatRecentAdvertisements() } }
  }

  private func repeatRecentAdvertisements() {
    for record in devices.records.values {
      guard let rssi = record.object?.rssi, record.advertisement.revision != 0, let lastHeard = record.lastHeard,
        .now - lastHeard < timing.heardRecently
      else { continue }
      tell(record, rssi)
    }
  }

  func advertised(_ record: BlueZDevice, _ object: Device1, _ changes: Device1.Changes) {
    record.noteHeard()
    discovery.hasHeard = true
    let oldRevision = record.advertisement.revision
    let isRenamed = record.advertisement.heard(object, changes, traits)
    guard let rssi = object.rssi, discovery.wish != nil else { return }
    if record.advertisement.revision != oldRevision { remember(record) }
    if isRenamed { tellName(of: record) }
    tell(record, rssi)
  }

  private func tell(_ record: BlueZDevice, _ rssi: Int) {
    guard discovery.wish != nil, state == .poweredOn else { return }
    let advertisement = record.advertisement
    observer?.radio(
      self,
      didReceive: Advertisement(
        peripheral: record.identifier, name: advertisement.name, rssi: rssi, data: advertisement.data,
        revision: advertisement.revision))
  }

  func tellName(of record: BlueZDevice) {
    guard let name = record.name else { return }
    observer?.radio(self, didUpdateName: name, of: record.identifier)
  }

  func remember(_ record: BlueZDevice) {
    identities.remember(record.identifier, record.address, name: record.name)
  }

  // MARK: Peripherals

  public func knows(_ peripheral: PeripheralIdentifier) -> Bool {
    devices[peripheral] != nil || identities.entry(of: peripheral) != nil
  }

  public func name(of peripheral: PeripheralIdentifier) -> String? {
    devices[peripheral]?.name ?? identities.entry(of: peripheral)?.name
  }

  public func address(of peripheral: PeripheralIdentifier) -> String? {
    (devices[peripheral]?.address ?? identities.entry(of: peripheral)?.address)?.text
  }

  public func isConnected(_ peripheral: PeripheralIdentifier) -> Bool { devices[peripheral]?.isConnected ?? false }

  public func connect(_ peripheral: PeripheralIdentifier) {
    guard state == .poweredOn else { return }
    guard let record = devices.record(remembered: peripheral) else {
      return report(.didFailToConnect(.unknownDevice), of: peripheral, isAnswer: true)
    }
    remember(record)
    record.connect()
  }

  public func disconnect(_ peripheral: PeripheralIdentifier) {
    guard state == .poweredOn else { return }
    guard let record = devices[peripheral] else { return report(.didDisconnect(nil), of: peripheral, isAnswer: true) }
    record.disconnect()
  }

  // MARK: Events

  func report(_ event: LinkEvent, of peripheral: PeripheralIdentifier, isAnswer: Bool) {
    if case .connectionEvent = event, isListing { return }
    guard isAnswer || !answers.isEmpty else { return tell(event, peripheral) }
    answers.append((event, peripheral))
    if answers.count == 1 { BridgeQueue.atEndOfTurn { [weak self] in self?.tellAnswers() } }
  }

  private func tellAnswers() {
    // What is reported meanwhile queues behind.
    var next = 0
    while next < answers.count {
      let (event, peripheral) = answers[next]
      next += 1
      tell(event, peripheral)
    }
    answers = []
  }

  private func tell(_ event: LinkEvent, _ peripheral: PeripheralIdentifier) {
    switch event {
    case .didConnect: observer?.radio(self, didConnect: peripheral)
    case .didFailToConnect(let error): observer?.radio(self, didFailToConnect: peripheral, error: error)
    case .didDisconnect(let error): observer?.radio(self, didDisconnect: peripheral, error: error)
    case .connectionEvent(let isUp): observer?.radio(self, connectionEvent: isUp, for: peripheral)
    }
  }
}

// MARK: - The bus and the adapter

extension BlueZRadio: BlueZServiceObserver {
  func serviceDidChangeState(_ service: BlueZService) {
    switch service.state {
    case .noBus: agent = nil
    case .loading: traits.forget()
    case .ready:
      if let daemon = service.identity { inherited.formUnion(journal.begin(daemon: daemon)) }
      registerAgent()
    case .noOwner, .denied: break
    }
    adapter.update()
  }

  /// Before anything connects: HID devices start pairing by themselves, and without an agent that freezes their link.
  private func registerAgent() {
    guard let connection = service.connection, let owner = service.owner else { return }
    if agent == nil {
      agent = Agent1(bus: connection, configuration: agentConfiguration) { [weak self] path in
        self?.service.cache.devices[path]?.record?.isLinkOurs ?? false
      }
    }
    agent?.register(daemon: owner)
  }

  func service(_ service: BlueZService, didReceive signal: Message) { dispatcher.dispatch(signal) }
}

extension BlueZRadio: AdapterControllerObserver {
  func adapterDidChange(_ adapter: AdapterController, oldPath: String?, oldState: AdapterState) {
    let isAnother = oldPath != adapter.path
    if oldState == .poweredOn && (isAnother || adapter.state != .poweredOn) {
      discovery.adapterLost()
      stopLinkEndReasons()
      // Links and wishes end with the radio's state, without events of their own.
      for record in devices.records.values { record.radioLost() }
    }
    if isAnother {
      devices.detachAll()
      if let path = adapter.path { list(path) }
    }
    if adapter.state == .poweredOn, let path = adapter.path, oldState != .poweredOn || isAnother {
      discovery.adapterReady(path)
      startLinkEndReasons()
    }
    if adapter.state != oldState {
      Log.notice("adapter", "\(adapter.state.name)\(adapter.problem.map { ": \($0)" } ?? "")")
      observer?.radioDidUpdateState(self)
    }
  }

  private func startLinkEndReasons() {
    guard let index = adapter.current?.index.flatMap({ UInt16(exactly: $0) }) else { return }
    linkEndReasons = LinkEndReasons(adapterIndex: index) { [weak self] peer, reason in
      guard let self else { return }
      devices[identities.identifier(of: peer)]?.linkWillEnd(reason)
    }
  }

  private func stopLinkEndReasons() {
    linkEndReasons?.stop()
    linkEndReasons = nil
  }

  private func list(_ path: String) {
    let settles = service.startedAnew
    isListing = true
    let prefix = path + "/"
    for (path, object) in service.cache.devices where path.hasPrefix(prefix) {
      _ = devices.attach(object, settles: settles)
    }
    isListing = false
    endInheritedLinks()
    guard settles else { return }
    settling?.cancel()
    settling = QueueTimer(after: timing.restartSettle) { [weak self] in
      guard let self else { return }
      service.settled()
      for record in devices.records.values { record.settled() }
    }
  }
  private func endInheritedLinks() {
    for path in inherited {
      guard let record = service.cache.devices[path]?.record else { continue }
      Log.notice("link", "\(record.identifier): ended, since the service that made the link was killed")
      record.endInheritedLink()
    }
    inherited = []
  }
}
