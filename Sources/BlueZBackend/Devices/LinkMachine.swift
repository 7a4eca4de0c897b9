import BridgeProtocol

/// What becomes of the link to one device, as a value: events in, actions out, no clock and no bus.
///
///     idle ──Connect──▶ linking ──reply──▶ linked ──Disconnect──▶ closing ──Connected=false──▶ idle
///       ▲                  │ failed                    │ lost
///       └──── retrying ◀───┘         idle ◀────────────┘
struct LinkMachine {
  enum Phase { case idle, linking, retrying, linked, closing }

  enum Event {
    /// The application's wishes.
    case connectRequested, disconnectRequested
    /// A service that was killed has left this link, or its attempt at one.
    case inherited
    /// bluetoothd shows the device (again), or no longer.
    case appeared(connected: Bool, resolved: Bool)
    case vanished
    case connected(Bool)
    case resolved(Bool)
    /// 5.83 and later, or the controller, say why the link ends.
    case reason(BluetoothError)
    case connectSucceeded
    case connectFailed(ConnectFailure, wrongBearer: Bool)
    case disconnectReplied
    /// Objects that the services' resolution implied are in the cache.
    case barrierPassed
    /// ATT does not answer any more.
    case stuck
    /// Links that a freshly started bluetoothd claims may be believed.
    case settled
    /// The radio is off or gone: links and wishes end without a word.
    case radioLost
    case fired(Timer)
  }

  enum Timer: Hashable, CaseIterable { case retry, closing, resolve, powerSettle, lostReply, unresolved }

  enum Action: Equatable {
    case callConnect, forgetConnectCall, callDisconnect
    case start(Timer, Delay)
    case cancel(Timer)
    /// Keep discovery running until the device is linked.
    case holdScan(Bool)
    /// The scan may pause for the attempt, and need not any more.
    case breakScan(Bool)
    case openGATT
    case closeGATT(BluetoothError)
    case askBarrier, gattReady
    case didConnect
    case didFailToConnect(BluetoothError)
    case didDisconnect(BluetoothError?)
    case connectionEvent(Bool)
  }

  /// Which of `BlueZTiming`'s limits a timer has; `retry` grows with the attempts.
  enum Delay: Equatable {
    case limit
    case retry(attempt: Int)
  }

  private(set) var phase = Phase.idle
  private(set) var isPresent = false
  /// `Connected`, by anyone.
  private(set) var isConnected = false
  private(set) var isResolved = false
  /// `Connected` is not believed yet.
  private(set) var isSettling = false
  /// A connect was asked for and not withdrawn.
  private(set) var isWanted = false
  /// `didConnect` was said, and no end of it.
  private(set) var isReported = false
  /// The link stands by our doing, so it is ours to end.
  private(set) var isOurs = false

  private var isReady = false
  private var awaitsBarrier = false
  private var sawLink = false
  private var attempts = 0
  private var drops = 0
  private var reason: BluetoothError?
  /// The end of a link, kept back while it may turn out to be a power-off.
  private var heldEnd: BluetoothError?
  private var closingError: BluetoothError?
  private var unresolvedWhileReady = false

  private static let maximumDrops = 3

  private var actions: [Action] = []

  mutating func handle(_ event: Event) -> [Action] {
    actions = []
    switch event {
    case .connectRequested: connectRequested()
    case .disconnectRequested: disconnectRequested()
    case .inherited: inherited()
    case .appeared(let connected, let resolved): appeared(connected, resolved)
    case .vanished: vanished()
    case .connected(let value): value ? linkUp() : linkDown()
    case .resolved(let value): resolvedChanged(value)
    case .reason(let error):
      reason = error
      // The controller's word may come after bluetoothd's.
      if heldEnd == .peripheralDisconnected { heldEnd = error }
    case .connectSucceeded: connectSucceeded()
    case .connectFailed(let failure, let wrongBearer): connectFailed(failure, wrongBearer: wrongBearer)
    case .disconnectReplied: if phase == .closing && !isConnected { finishClosing() }
    case .barrierPassed: barrierPassed()
    case .stuck: if phase == .linked { close(saying: .connectionTimeout) }
    case .settled: settled()
    case .radioLost: radioLost()
    case .fired(let timer): fired(timer)
    }
    advance()
    return actions
  }

  /// Whether an orderly stop must disconnect: our link, or our attempt.
  var mustDisconnectAtStop: Bool { phase == .linking || isOurs && isConnected }

  /// Before the first event of a device that a freshly started bluetoothd shows.
  mutating func beginSettling() { isSettling = true }

  // MARK: Wishes

  private mutating func connectRequested() {
    flushHeldEnd(heldEnd)
    if isReported && phase == .linked { actions.append(.didConnect) }
    if !isWanted { (attempts, drops) = (0, 0) }
    isWanted = true
  }

  private mutating func disconnectRequested() {
    isWanted = false
    if heldEnd != nil {
      flushHeldEnd(nil)
      return
    }
    letGoOfScan()
    switch phase {
    case .idle: actions.append(.didDisconnect(nil))
    case .retrying:
      actions.append(.cancel(.retry))
      actions.append(.didDisconnect(nil))
      // A failed attempt may have left its link behind.
      if isOurs && isConnected { startClosing() } else { phase = .idle }
    case .linking:
      actions.append(.forgetConnectCall)
      actions.append(.cancel(.lostReply))
      actions.append(.didDisconnect(nil))
      if isConnected && !isOurs { phase = .idle } else { startClosing() }
    case .linked:
      if isOurs { close(saying: nil) } else { leave() }
    case .closing:
      closingError = nil
      if !isReported { actions.append(.didDisconnect(nil)) }
    }
  }

  /// Ends it, as an orderly stop of that service would have.
  private mutating func inherited() {
    guard phase == .idle, isPresent else { return }
    isOurs = isConnected
    startClosing()
  }

  /// Lets go of a link that others made.
  private mutating func leave() {
    endGATT(.operationCancelled)
    phase = .idle
    isReported = false
    actions.append(.didDisconnect(nil))
  }

  // MARK: Objects

  private mutating func appeared(_ connected: Bool, _ resolved: Bool) {
    isPresent = true
    isResolved = resolved
    isConnected = connected
    if connected && !isSettling { actions.append(.connectionEvent(true)) }
  }

  private mutating func vanished() {
    isPresent = false
    if phase == .linking {
      // Its reply will never come.
      actions.append(.forgetConnectCall)
      actions.append(.cancel(.lostReply))
      actions.append(.breakScan(false))
      phase = .idle
    }
    if phase == .retrying {
      actions.append(.cancel(.retry))
      phase = .idle
    }
    linkDown()
    if phase == .closing { finishClosing() }
  }

  // MARK: The link

  private mutating func linkUp() {
    guard !isConnected else { return }
    isConnected = true
    reason = nil
    if !isSettling { actions.append(.connectionEvent(true)) }
    flushHeldEnd(heldEnd)
    if phase == .linking {
      sawLink = true
      isOurs = true
      actions.append(.breakScan(false))
    }
  }

  private mutating func linkDown() {
    let was = isConnected
    isConnected = false
    isResolved = false
    if was && !isSettling { actions.append(.connectionEvent(false)) }
    let wasLinked = phase == .linked
    if wasLinked { linkLost(reason ?? .peripheralDisconnected) }
    isOurs = false
    if was && phase == .linking { actions.append(.start(.lostReply, .limit)) }
    if was && phase == .closing { finishClosing() }
  }

  private mutating func linkLost(_ error: BluetoothError) {
    endGATT(.peripheralDisconnected)
    phase = .idle
    isWanted = false
    heldEnd = error
    actions.append(.start(.powerSettle, .limit))
  }

  /// Says that the link has ended, where that was kept back.
  private mutating func flushHeldEnd(_ error: BluetoothError?) {
    guard heldEnd != nil else { return }
    heldEnd = nil
    isReported = false
    actions.append(.cancel(.powerSettle))
    actions.append(.didDisconnect(error))
  }

  private mutating func resolvedChanged(_ resolved: Bool) {
    isResolved = resolved
    guard phase == .linked else { return }
    if !resolved {
      // Comes with every end of a link, so `Connected` should follow. If not, one link has replaced another.
      if isReady {
        unresolvedWhileReady = true
        actions.append(.start(.unresolved, .limit))
      }
    } else if unresolvedWhileReady {
      linkLost(.peripheralDisconnected)
    } else {
      askBarrier()
    }
  }

  private mutating func askBarrier() {
    guard !awaitsBarrier else { return }
    awaitsBarrier = true
    actions.append(.askBarrier)
  }

  private mutating func barrierPassed() {
    guard phase == .linked, awaitsBarrier else { return }
    awaitsBarrier = false
    guard isResolved, !isReady else { return }
    isReady = true
    actions.append(.cancel(.resolve))
    actions.append(.gattReady)
  }

  private mutating func endGATT(_ error: BluetoothError) {
    actions.append(.cancel(.resolve))
    actions.append(.cancel(.unresolved))
    actions.append(.closeGATT(error))
    isReady = false
    awaitsBarrier = false
    unresolvedWhileReady = false
  }

  // MARK: Connecting

  /// Takes the next step towards what is wanted, if one can be taken.
  private mutating func advance() {
    guard isWanted, phase == .idle, heldEnd == nil else { return }
    guard isPresent else {
      if actions.last != .holdScan(true) { actions.append(.holdScan(true)) }
      return
    }
    if isSettling && isConnected { return }
    phase = .linking
    sawLink = isConnected
    attempts += 1
    actions.append(.callConnect)
    if !isConnected { actions.append(.breakScan(true)) }
  }

  private mutating func connectSucceeded() {
    guard phase == .linking else { return }
    actions.append(.cancel(.lostReply))
    guard isConnected else {
      // bluetoothd swallows an abort now and then and calls it a success.
      connectFailed(.tryAgain)
      return
    }
    letGoOfScan()
    phase = .linked
    isReported = true
    (attempts, drops) = (0, 0)
    actions.append(.openGATT)
    actions.append(.start(.resolve, .limit))
    actions.append(.didConnect)
    if isResolved { askBarrier() }
  }

  private mutating func connectFailed(_ failure: ConnectFailure, wrongBearer: Bool = false) {
    guard phase == .linking else { return }
    actions.append(.cancel(.lostReply))
    actions.append(.breakScan(false))
    if sawLink && failure == .tryAgain { drops += 1 }
    if let error = failure.refusal ?? (drops >= Self.maximumDrops ? .connectionFailed : nil) {
      isWanted = false
      letGoOfScan()
      actions.append(.didFailToConnect(error))
      if isOurs && isConnected { startClosing() } else { phase = .idle }
    } else {
      phase = .retrying
      // bluetoothd takes LE for a device of both kinds only if it has lately heard it there.
      if wrongBearer { actions.append(.holdScan(true)) }
      actions.append(.start(.retry, .retry(attempt: attempts)))
    }
  }

  private mutating func letGoOfScan() {
    actions.append(.holdScan(false))
    actions.append(.breakScan(false))
  }

  // MARK: Closing

  /// Ends a link that applications know of; they hear when it is down.
  private mutating func close(saying error: BluetoothError?) {
    isWanted = false
    endGATT(error == nil ? .operationCancelled : .peripheralDisconnected)
    startClosing()
    closingError = error
  }

  private mutating func startClosing() {
    phase = .closing
    closingError = nil
    actions.append(.callDisconnect)
    actions.append(.start(.closing, .limit))
  }

  private mutating func finishClosing() {
    actions.append(.cancel(.closing))
    phase = .idle
    if isReported {
      isReported = false
      actions.append(.didDisconnect(closingError))
    }
  }

  // MARK: The radio

  private mutating func settled() {
    guard isSettling else { return }
    isSettling = false
    if isConnected { actions.append(.connectionEvent(true)) }
  }

  private mutating func radioLost() {
    for timer in Timer.allCases { actions.append(.cancel(timer)) }
    if phase == .linking { actions.append(.forgetConnectCall) }
    if phase == .linked { endGATT(.peripheralDisconnected) }
    letGoOfScan()
    phase = .idle
    isWanted = false
    isReported = false
    heldEnd = nil
    isOurs = isOurs && isConnected
  }

  private mutating func fired(_ timer: Timer) {
    switch timer {
    case .retry: if phase == .retrying { phase = .idle }
    case .closing: if phase == .closing { finishClosing() }
    case .resolve: if phase == .linked && !isReady { close(saying: .connectionTimeout) }
    case .powerSettle: flushHeldEnd(heldEnd)
    case .lostReply:
      if phase == .linking {
        actions.append(.forgetConnectCall)
        connectFailed(.tryAgain)
      }
    case .unresolved: if phase == .linked && unresolvedWhileReady { linkLost(.peripheralDisconnected) }
    }
  }
}

extension ConnectFailure {
  /// What the application hears, where trying on is pointless.
  fileprivate var refusal: BluetoothError? { if case .refused(let error) = self { error } else { nil } }
}
