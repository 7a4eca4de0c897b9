import BridgeIO
import DBus

/// Keeps bluetoothd's discovery as it is wanted: one session, one call at a time, resumed whenever bluetoothd has lost it.
///
/// The filter is always the whole of Transport, DuplicateData and RSSI: without RSSI, 5.67 and later hide devices and
/// swallow repeats; with UUIDs, 5.87 crashes and others miss devices.
@BridgeQueue
final class Discovery {
  private enum Session { case none, starting, running, stopping }

  private let service: BlueZService
  private let timing: BlueZTiming

  private var adapterPath: String?
  private var session = Session.none
  private var call: PendingCall?
  private var callTimer: QueueTimer?
  private var filterInForce: Bool?
  private var refusals = 0
  private var retry: QueueTimer?

  /// Report each advertisement; nil: applications do not scan.
  private(set) var wish: Bool?
  private var holders: Set<ObjectIdentifier> = []

  private var breakers: Set<ObjectIdentifier> = []
  private var breakTimer: QueueTimer?
  private var nextBreak: ContinuousClock.Instant = .now

  private var watchdog: QueueTimer?
  private var watchdogDelay: Duration
  /// Set with every report, looked at by the watchdog.
  var hasHeard = false

  init(service: BlueZService, timing: BlueZTiming) {
    self.service = service
    self.timing = timing
    watchdogDelay = timing.scanWatchdog
  }

  var isRunning: Bool { session == .running }

  // MARK: Wishes

  func scan(allowDuplicates: Bool?) {
    wish = allowDuplicates
    reconcile()
  }

  /// Scans for `holder` until it is linked, whether applications scan or not.
  func hold(_ holder: AnyObject, _ isHeld: Bool) {
    let id = ObjectIdentifier(holder)
    let changed = isHeld ? holders.insert(id).inserted : holders.remove(id) != nil
    if changed { reconcile() }
  }

  /// Pauses the scan for a moment, so that the controller can give a connect its whole attention.
  func takeBreak(for breaker: AnyObject) {
    guard session == .running, breakers.isEmpty == false || .now >= nextBreak else { return }
    guard breakers.insert(ObjectIdentifier(breaker)).inserted, breakTimer == nil else { return }
    breakTimer = QueueTimer(after: timing.scanBreak) { [weak self] in self?.endBreak() }
    reconcile()
  }

  func endBreak(for breaker: AnyObject) {
    if breakers.remove(ObjectIdentifier(breaker)) != nil && breakers.isEmpty { endBreak() }
  }

  private func endBreak() {
    breakers = []
    breakTimer?.cancel()
    breakTimer = nil
    nextBreak = .now + timing.scanBreakSpacing
    reconcile()
  }

  // MARK: The adapter

  /// The adapter is on: sessions of before are gone.
  func adapterReady(_ path: String) {
    reset()
    adapterPath = path
    reconcile()
  }

  /// The adapter is off or gone, and with it our session; calls may never be answered.
  func adapterLost() {
    reset()
    adapterPath = nil
  }

  private func reset() {
    endCall()
    retry?.cancel()
    retry = nil
    breakTimer?.cancel()
    breakTimer = nil
    breakers = []
    stopWatchdog()
    session = .none
    filterInForce = nil
    refusals = 0
  }

  // MARK: Steps

  private var wantedFilter: Bool? {
    guard breakers.isEmpty, wish != nil || !holders.isEmpty else { return nil }
    return wish ?? false
  }

  /// Takes the next step if no call is under way; its reply takes the one after.
  private func reconcile() {
    guard let adapterPath, call == nil, retry == nil else { return }
    switch (session, wantedFilter) {
    case (.none, nil), (.starting, _), (.stopping, _): break
    case (.none, let wanted?):
      if filterInForce == wanted { start(adapterPath) } else { setFilter(adapterPath, wanted) }
    case (.running, nil): stop(adapterPath)
    case (.running, let wanted?): if filterInForce != wanted { setFilter(adapterPath, wanted) }
    }
  }

  private func setFilter(_ path: String, _ duplicates: Bool) {
    let filter: [String: Value] = [
      BlueZ.DiscoveryFilter.transport: .string(BlueZ.DiscoveryFilter.lowEnergy),
      BlueZ.DiscoveryFilter.duplicateData: .boolean(duplicates),
      BlueZ.DiscoveryFilter.rssi: .int16(-127),
    ]
    send(path, BlueZ.Adapter.setDiscoveryFilter, [.properties(filter)]) { [self] error in
      if let error { return refused(error) }
      filterInForce = duplicates
      reconcile()
    }
  }

  private func start(_ path: String) {
    session = .starting
    send(path, BlueZ.Adapter.startDiscovery) { [self] error in
      if let error {
        session = .none
        return refused(error)
      }
      Log.info("discovery", "started")
      session = .running
      refusals = 0
      startWatchdog()
      reconcile()
    }
  }

  private func stop(_ path: String) {
    session = .stopping
    stopWatchdog()
    send(path, BlueZ.Adapter.stopDiscovery) { [self] error in
      if let error { Log.info("discovery", "StopDiscovery: \(error)") } else { Log.info("discovery", "stopped") }
      // InProgress: the kernel did not let go. The session is bluetoothd's to forget; a start will tell.
      session = .none
      reconcile()
    }
  }

  private func send(
    _ path: String, _ member: String, _ arguments: [Value] = [], completion: @escaping @BridgeQueue (DBusError?) -> Void
  ) {
    call = service.call(path, BlueZ.Adapter.interface, member, arguments) { [weak self] result in
      guard let self else { return }
      endCall()
      switch result {
      case .success: completion(nil)
      case .failure(let error): completion(error)
      }
    }
    callTimer = QueueTimer(after: timing.scanCallLimit) { [weak self] in
      guard let self else { return }
      Log.info("discovery", "\(member) is not answered")
      endCall()
      // As good as refused: what bluetoothd made of it, it says to the next call.
      completion(DBusError(name: BlueZ.ErrorName.inProgress, message: "No reply"))
    }
  }

  private func endCall() {
    call?.cancel()
    call = nil
    callTimer?.cancel()
    callTimer = nil
  }

  // MARK: Refusals

  /// InProgress stands for every failure of the kernel, and for a session of ours that we know nothing of.
  private func refused(_ error: DBusError) {
    refusals += 1
    let isLasting = refusals > 4
    let delay = isLasting ? timing.scanFailedDelay : timing.scanBusyDelay * (1 << (refusals - 1))
    if isLasting {
      refusals = 0
      Log.error("discovery", "bluetoothd refuses to scan: \(error); trying again now and then")
    } else {
      Log.info("discovery", "not started: \(error)")
    }
    retry = QueueTimer(after: delay) { [weak self] in
      guard let self else { return }
      retry = nil
      filterInForce = nil
      if error.name == BlueZ.ErrorName.inProgress, let adapterPath { stop(adapterPath) } else { reconcile() }
    }
  }

  // MARK: Watchdog

  /// Some kernels leave discovery dead after a connect. Silence may also be the truth, so it is asked ever less often.
  private func startWatchdog() {
    hasHeard = false
    watchdog?.cancel()
    watchdog = QueueTimer(after: watchdogDelay) { [weak self] in self?.watchdogFired() }
  }

  private func stopWatchdog() {
    watchdog?.cancel()
    watchdog = nil
  }

  private func watchdogFired() {
    guard session == .running, call == nil, let adapterPath else { return startWatchdog() }
    if hasHeard {
      watchdogDelay = timing.scanWatchdog
      startWatchdog()
    } else {
      Log.info("discovery", "nothing heard for \(watchdogDelay), starting anew")
      watchdogDelay = min(watchdogDelay * 2, timing.scanWatchdogMaximum)
      stop(adapterPath)
    }
  }
}
