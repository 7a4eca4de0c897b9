public import BridgeIO
public import BridgeProtocol
public import Radio

/// Any radio with faults: passes everything through, but for what its plan says shall be late, wrong or lost.
///
/// While no fault is set, a call costs a call more. Requests wait before they reach the radio, events after they have
/// come from it, each in their order.
@BridgeQueue
public final class FaultRadio: Radio {
  public weak var observer: (any RadioObserver)?
  public let radio: any Radio
  public let plan: FaultPlan
  /// The radio's own, if it has one.
  package let ownPlan: FaultPlan?
  let held = HeldDeliveries()
  /// That more is held back than there is room for has been logged.
  var hasToldLosses = false
  var links: [PeripheralIdentifier: FaultLink] = [:]
  /// Links that are gone while what came over them is still held back, their end too.
  var ending: [PeripheralIdentifier: FaultLink] = [:]
  /// Connects that have not reached the radio: held back until the timer fires, or lost.
  private var connects: [PeripheralIdentifier: QueueTimer?] = [:]
  var advertisements: [PeripheralIdentifier: DeliveryLine] = [:]
  /// Seconds after which a lost answer ends the link, as the Attribute Protocol has it.
  ///
  /// - Source: Core Specification Vol 3, Part F, 3.3.3.
  private let transactionTimeout: Duration

  public init(
    _ radio: any Radio, plan: FaultPlan = FaultPlan(), transactionTimeout: Duration = .seconds(30)
  ) {
    self.radio = radio
    self.plan = plan
    self.transactionTimeout = transactionTimeout
    ownPlan = (radio as? any FaultyRadio)?.faults
    plan.add(self)
    ownPlan?.add(self)
  }

  public var state: AdapterState { radio.state }
  public var description: RadioDescription { radio.description }

  /// Whether anything may be in the way of an operation.
  var isInterfering: Bool { plan.isActive || held.count > 0 || ownPlan?.isActive == true }

  var hasFaults: Bool { plan.isActive || ownPlan?.isActive == true }

  public func start() {
    radio.observer = self
    radio.start()
  }

  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    forgetAll(.operationCancelled)
    radio.stop(completion: completion)
  }

  public func scan(_ scan: RadioScan?) {
    if scan == nil { forgetAdvertisements() }
    radio.scan(scan)
  }

  public func knows(_ peripheral: PeripheralIdentifier) -> Bool { radio.knows(peripheral) }
  public func name(of peripheral: PeripheralIdentifier) -> String? { radio.name(of: peripheral) }
  public func address(of peripheral: PeripheralIdentifier) -> String? { radio.address(of: peripheral) }
  public func isConnected(_ peripheral: PeripheralIdentifier) -> Bool { radio.isConnected(peripheral) }

  public func refusal(ofUnknown id: String, of peripheral: PeripheralIdentifier) -> BluetoothError? {
    radio.refusal(ofUnknown: id, of: peripheral)
  }

  public func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier] {
    radio.connectedPeripherals(with: services)
  }

  public func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool {
    radio.canSendWriteWithoutResponse(to: peripheral)
  }

  public func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int {
    radio.maximumWriteLength(of: peripheral)
  }

  func verdict(_ operation: FaultOperation, _ peripheral: PeripheralIdentifier, _ attribute: AttributeHandle? = nil)
    -> FaultVerdict
  {
    var verdict = FaultVerdict()
    guard hasFaults else { return verdict }
    let link = links[peripheral]
    for plan in [plan, ownPlan] {
      plan?.judge(
        operation, of: peripheral, name: { radio.name(of: peripheral) },
        attribute: { link?.names(of: attribute) ?? AttributeNames() }, &verdict)
    }
    return verdict
  }

  // MARK: Connections

  public func connect(_ peripheral: PeripheralIdentifier) {
    let verdict = verdict(.connect, peripheral)
    if verdict.isLost {
      connects.updateValue(nil, forKey: peripheral)
      return
    }
    guard verdict.error != nil || verdict.delay > .zero else { return radio.connect(peripheral) }
    connects[peripheral] = QueueTimer(after: verdict.delay) { [self] in
      connects.removeValue(forKey: peripheral)
      if let error = verdict.error {
        observer?.radio(self, didFailToConnect: peripheral, error: error)
      } else {
        radio.connect(peripheral)
      }
    }
  }

  public func disconnect(_ peripheral: PeripheralIdentifier) {
    if let timer = connects.removeValue(forKey: peripheral) {
      timer?.cancel()
      BridgeQueue.async { [self] in observer?.radio(self, didDisconnect: peripheral, error: nil) }
      return
    }
    if let link = ending[peripheral] {
      link.isReleased = true
      return BridgeQueue.async { [self] in endNow(link) }
    }
    guard let link = links[peripheral] else { return radio.disconnect(peripheral) }
    link.isReleased = true
    failRequestsLater(of: link)
    // A fault is at it already.
    guard link.dropReason == nil else { return }
    let delay = verdict(.disconnect, peripheral).delay
    guard delay > .zero else { return radio.disconnect(peripheral) }
    link.after(delay) { [self] in radio.disconnect(peripheral) }
  }

  /// Nobody waits any more for what is held back of a link that is gone.
  private func endNow(_ link: FaultLink) {
    guard ending[link.peripheral] === link else { return }
    ending[link.peripheral] = nil
    link.events.cancel(link.endingError)
    observer?.radio(self, didDisconnect: link.peripheral, error: nil)
  }

  /// Completions are never called inside the call that ends what they wait for.
  private func failRequestsLater(of link: FaultLink) {
    BridgeQueue.async { link.failRequests(link.endingError) }
  }

  /// Ends a link as if it had broken.
  func drop(_ link: FaultLink, _ reason: BluetoothError) {
    guard links[link.peripheral] === link, link.dropReason == nil, !link.isReleased else { return }
    link.dropReason = reason
    failRequestsLater(of: link)
    radio.disconnect(link.peripheral)
  }

  // MARK: What comes after an operation

  func conclude(_ verdict: FaultVerdict, _ link: FaultLink) {
    if let reason = verdict.drop { return drop(link, reason) }
    for change in verdict.changes { changeServices(change, of: link) }
  }

  /// The answer is lost: no other request would get one from now on.
  func lose(_ link: FaultLink, _ cancel: @escaping @BridgeQueue (BluetoothError) -> Void) {
    link.lose(cancel)
    link.after(transactionTimeout) { [self] in drop(link, .connectionTimeout) }
  }

  /// Strikes the link from the time it stands, or from now if it does.
  func strike(_ link: FaultLink, with fault: Fault, _ verdict: FaultVerdict) {
    guard verdict.delay > .zero else { return conclude(verdict, link) }
    link.after(verdict.delay) { [self] in if !fault.isCleared { conclude(verdict, link) } }
  }

  func strikeLinks(with fault: Fault) {
    let rule = fault.rule
    for link in links.values.sorted(by: {
      ($0.peripheral.high, $0.peripheral.low) < ($1.peripheral.high, $1.peripheral.low)
    })
    where fault.concerns(link.peripheral) {
      guard link.dropReason == nil, !link.isReleased else { continue }
      guard rule.name == nil || rule.name == radio.name(of: link.peripheral) else { continue }
      var verdict = FaultVerdict()
      fault.judge(link.peripheral, &verdict)
      if verdict.hasConsequence { strike(link, with: fault, verdict) }
    }
  }

  private func changeServices(_ change: FaultVerdict.ServiceChange, of link: FaultLink) {
    guard links[link.peripheral] === link else { return }
    let changed = link.database?.services.filter { change == .all || change == .only($0.uuid) } ?? []
    // Whoever wants their notifications asks anew.
    for handle in changed.flatMap(\.characteristics).map(\.handle) where link.notifying.remove(handle) != nil {
      radio.setNotify(false, characteristic: handle, of: link.peripheral) { _ in }
    }
    link.database = nil
    let removed = changed.map(\.handle)
    link.events.pass { [self] in observer?.radio(self, didModifyServices: removed, of: link.peripheral) }
  }

  // MARK: Ends

  /// Links and wishes are no more, without events of their own.
  func forgetAll(_ error: BluetoothError) {
    for timer in connects.values { timer?.cancel() }
    connects = [:]
    let ended = Array(links.values) + ending.values
    (links, ending) = ([:], [:])
    for link in ended {
      link.end()
      link.failRequests(error)
      link.events.cancel(error)
    }
    forgetAdvertisements()
  }

  private func forgetAdvertisements() {
    for line in advertisements.values { line.cancel(.operationCancelled) }
    advertisements = [:]
  }
}
