import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// One peripheral: its object in bluetoothd while there is one, what it advertises, and its link.
@BridgeQueue
final class BlueZDevice {
  let identifier: PeripheralIdentifier
  private(set) var address: BluetoothAddress
  private(set) var object: Device1?
  private(set) var gatt: GATTClient?
  var advertisement: AdvertisementRecord
  private(set) var lastHeard: ContinuousClock.Instant?

  private unowned let host: any DeviceHost
  private var machine = LinkMachine()
  /// The event being handled, and those that it caused.
  private var events: [(LinkMachine.Event, isRequest: Bool)] = []
  private var timers: [LinkMachine.Timer: QueueTimer] = [:]
  private var connectCall: PendingCall?
  private var barrierCall: PendingCall?
  private var nameCall: PendingCall?
  private var lowEnergyBearerRefused = false
  /// Where the journal has our link.
  private var journaledPath: String?
  /// The bearer that was preferred before we asked for LE.
  private var formerBearer: String?
  /// What is being asked of the link besides GATT, and ends with it.
  private var inquiries: [UInt64: @BridgeQueue (BluetoothError) -> Void] = [:]
  private var lastInquiry: UInt64 = 0

  init(identifier: PeripheralIdentifier, address: BluetoothAddress, name: String?, host: any DeviceHost) {
    self.identifier = identifier
    self.address = address
    self.host = host
    advertisement = AdvertisementRecord(name: name)
  }

  var name: String? { advertisement.name }
  var isConnected: Bool { machine.isConnected && !machine.isSettling }
  /// Applications have a claim on this record, or a link stands.
  var isInUse: Bool { machine.isWanted || machine.isReported || machine.phase != .idle || machine.isConnected }
  /// We hold the link, or are making it.
  var isLinkOurs: Bool { machine.isWanted || machine.isReported }
  var mustDisconnectAtStop: Bool { machine.mustDisconnectAtStop }

  // MARK: The object

  /// bluetoothd shows the device. `settles`: links that it claims are not to be believed yet.
  func attach(_ object: Device1, settles: Bool) {
    self.object = object
    object.record = self
    advertisement.appeared(object)
    if settles { machine.beginSettling() }
    handle(.appeared(connected: object.isConnected, resolved: object.servicesResolved))
  }

  /// bluetoothd does not show it any more.
  func detach() {
    if let object { host.gattPaths.forgetServices(below: object.path) }
    object?.record = nil
    object = nil
    formerBearer = nil
    handle(.vanished)
  }

  func addressChanged(to new: BluetoothAddress) { address = new }

  func noteHeard() { lastHeard = .now }

  /// Applies edges of the link's properties, the end of services before the end of the link.
  func linkChanged(_ changes: Device1.Changes) {
    guard let object else { return }
    if changes.contains(.servicesResolved), !object.servicesResolved, object.isConnected {
      handle(.resolved(false))
    }
    if changes.contains(.connected) { handle(.connected(object.isConnected)) }
    if changes.contains(.servicesResolved), object.servicesResolved { handle(.resolved(true)) }
  }

  func endInheritedLink() { handle(.inherited) }
  func linkWillEnd(_ reason: BluetoothError) { handle(.reason(reason)) }
  func settled() { handle(.settled) }
  func radioLost() {
    restoreBearer()
    handle(.radioLost)
  }

  // MARK: Wishes

  func connect() { handle(.connectRequested, isRequest: true) }
  func disconnect() { handle(.disconnectRequested, isRequest: true) }

  /// At the end of everything: disconnects without a word; `completion` follows when bluetoothd has answered.
  func disconnectAtStop(completion: @escaping @BridgeQueue () -> Void) {
    restoreBearer()
    guard let object else { return completion() }
    host.service.call(object.path, BlueZ.Device.interface, BlueZ.Device.disconnect) { _ in completion() }
  }

  // MARK: The machine

  private func handle(_ event: LinkMachine.Event, isRequest: Bool = false) {
    events.append((event, isRequest))
    // Whoever hears of an action may ask for the next thing at once; that waits until this one is carried out.
    guard events.count == 1 else { return }
    while let (event, isRequest) = events.first {
      for action in machine.handle(event) { perform(action, isRequest: isRequest) }
      keepJournal()
      events.removeFirst()
    }
  }

  private func keepJournal() {
    let path = mustDisconnectAtStop ? object?.path : nil
    guard path != journaledPath else { return }
    if let journaledPath { host.journal.note(journaledPath, isHeld: false) }
    if let path { host.journal.note(path, isHeld: true) }
    journaledPath = path
  }

  private func perform(_ action: LinkMachine.Action, isRequest: Bool) {
    switch action {
    case .didConnect, .didFailToConnect, .didDisconnect: restoreBearer()
    default: break
    }
    switch action {
    case .callConnect: callConnect()
    case .forgetConnectCall:
      connectCall?.cancel()
      connectCall = nil
    case .callDisconnect: callDisconnect()
    case .start(let timer, let delay): start(timer, delay)
    case .cancel(let timer): timers.removeValue(forKey: timer)?.cancel()
    case .holdScan(let isHeld): host.discovery.hold(self, isHeld)
    case .breakScan(true): if profitsFromSilence { host.discovery.takeBreak(for: self) }
    case .breakScan(false): host.discovery.endBreak(for: self)
    case .openGATT: openGATT()
    case .closeGATT(let error): closeGATT(error)
    case .askBarrier: askBarrier()
    case .gattReady:
      gatt?.servicesResolved()
      askName()
    case .didConnect: host.report(.didConnect, of: self, isAnswer: isRequest)
    case .didFailToConnect(let error): host.report(.didFailToConnect(error), of: self, isAnswer: isRequest)
    case .didDisconnect(let error): host.report(.didDisconnect(error), of: self, isAnswer: isRequest)
    case .connectionEvent(let isUp): host.report(.connectionEvent(isUp), of: self, isAnswer: isRequest)
    }
  }

  private func start(_ timer: LinkMachine.Timer, _ delay: LinkMachine.Delay) {
    timers[timer]?.cancel()
    timers[timer] = QueueTimer(after: host.timing.duration(of: timer, delay)) { [weak self] in
      self?.timers[timer] = nil
      self?.handle(.fired(timer))
    }
  }

  // MARK: Calls

  /// A device that is being received answers a connect at once if the controller does nothing else. But stopping the
  /// scan may delete devices with private addresses, even connected ones, since no `Connect` makes them permanent.
  private var profitsFromSilence: Bool {
    guard let lastHeard, .now - lastHeard < host.timing.heardRecently else { return false }
    return !host.hasPrivatePeers
  }

  /// A device with a public address may be of both kinds, BR/EDR and LE, and a plain `Connect` to it take the wrong one.
  private func callConnect() {
    guard let object else { return }
    guard address.kind == .lePublic else { return callConnect(object.path, BlueZ.Device.interface) }
    if !lowEnergyBearerRefused && host.service.cache.has(BlueZ.BearerLE.interface, at: object.path) {
      return callConnect(object.path, BlueZ.BearerLE.interface)
    }
    preferLowEnergy(object)
    callConnect(object.path, BlueZ.Device.interface)
  }

  /// Experimental in bluetoothd. The preference outlives us and counts for others, so it is put back in the end.
  private func preferLowEnergy(_ object: Device1) {
    guard let bearer = object.preferredBearer, bearer != BlueZ.Device.lowEnergyBearer, formerBearer == nil else {
      return
    }
    formerBearer = bearer
    prefer(BlueZ.Device.lowEnergyBearer, object)
  }

  private func restoreBearer() {
    guard let bearer = formerBearer else { return }
    formerBearer = nil
    if let object { prefer(bearer, object) }
  }

  private func prefer(_ bearer: String, _ object: Device1) {
    host.service.call(
      object.path, Bus.properties, Bus.set,
      [.string(BlueZ.Device.interface), .string(BlueZ.Device.preferredBearer), .variant(.string(bearer))]
    ) { [weak self] result in
      if case .failure(let error) = result, let self { Log.info("link", "\(identifier): PreferredBearer: \(error)") }
    }
  }

  private func callConnect(_ path: String, _ interface: String) {
    connectCall = host.service.call(path, interface, BlueZ.Device.connect) { [weak self] result in
      guard let self else { return }
      connectCall = nil
      switch result {
      case .success: connectReplied()
      case .failure(let error):
        if interface == BlueZ.BearerLE.interface && Self.isMissingMethod(error) {
          lowEnergyBearerRefused = true
          callConnect()
        } else {
          Log.info("link", "\(identifier): Connect: \(error)")
          handle(.connectFailed(ErrorMapping.connectFailure(error), wrongBearer: Self.isClassic(error)))
        }
      }
    }
  }

  /// The link's signal comes before the reply, as a rule. Seen on 5.66: no signal at all, and every further `Connect`
  /// answered with success at once, because bluetoothd holds the link; so it is asked.
  private func connectReplied() {
    guard let object, !machine.isConnected else { return handle(.connectSucceeded) }
    ask(object, .connected, BlueZ.Device.connected) { device in
      device.ask(object, .servicesResolved, BlueZ.Device.servicesResolved) { $0.handle(.connectSucceeded) }
    }
  }

  private func ask(
    _ object: Device1, _ property: DeviceProperty, _ name: String,
    then: @escaping @BridgeQueue (BlueZDevice) -> Void
  ) {
    connectCall = host.service.barrier(at: object.path, BlueZ.Device.interface, property: name) {
      [weak self] result in
      guard let self, self.object === object else { return }
      connectCall = nil
      if case .success(let reply) = result { linkChanged(object.apply(property, from: reply)) }
      then(self)
    }
  }

  private static func isMissingMethod(_ error: DBusError) -> Bool {
    error.name == Bus.ErrorName.unknownMethod || error.name == Bus.ErrorName.unknownInterface
      || error.name == BlueZ.ErrorName.prefix + "NotSupported"
  }

  /// BR/EDR was tried, on a device of both kinds.
  private static func isClassic(_ error: DBusError) -> Bool {
    error.name.hasSuffix(BlueZ.ErrorName.profileUnavailable) || error.message == "br-connection-profile-unavailable"
      || error.message == "br-connection-page-timeout"
  }

  private func callDisconnect() {
    guard let object else { return }
    host.service.call(object.path, BlueZ.Device.interface, BlueZ.Device.disconnect) { [weak self] result in
      if case .failure(let error) = result, let self { Log.info("link", "\(identifier): Disconnect: \(error)") }
      self?.handle(.disconnectReplied)
    }
  }

  private func askBarrier() {
    guard let object else { return }
    barrierCall?.cancel()
    barrierCall = host.service.barrier(
      at: object.path, BlueZ.Device.interface, property: BlueZ.Device.servicesResolved
    ) { [weak self] _ in self?.handle(.barrierPassed) }
  }

  // MARK: GATT

  private func openGATT() {
    guard let object, let connection = host.service.connection else { return }
    gatt = GATTClient(
      bus: connection, busAddress: host.service.busAddress, devicePath: object.path, cache: host.service.cache,
      paths: host.gattPaths, owner: self)
    host.linkStands(self)
  }

  private func closeGATT(_ error: BluetoothError) {
    barrierCall?.cancel()
    barrierCall = nil
    nameCall?.cancel()
    nameCall = nil
    gatt?.end(error)
    gatt = nil
    let inquiries = inquiries.sorted { $0.key < $1.key }
    self.inquiries = [:]
    for (_, fail) in inquiries { fail(error) }
  }

  /// bluetoothd asks for the name at every connection up to 5.76, and later only once in its life; from 5.80 on it shows
  /// the GAP service, so that it can be asked for here. Of its own place in bluetoothd's queue: it delays no request.
  private func askName() {
    guard let object, let path = GAPName.characteristic(below: object.path, in: host.service.cache) else { return }
    nameCall?.cancel()
    nameCall = host.service.call(path, GATTNames.characteristic, GATTNames.readValue, [.properties([:])]) {
      [weak self] result in
      guard let self else { return }
      nameCall = nil
      guard case .success(let reply) = result, let name = GAPName(value: reply.read { $0.bytes() }) else { return }
      if advertisement.readGAPName(name.text) { host.didRename(self) }
    }
  }

  // MARK: Beside GATT

  /// A completion that is called with the link's end if that comes first; what comes after it goes to `late`.
  func untilLinkEnds<Value>(
    _ completion: @escaping RadioCompletion<Value>, late: @escaping @BridgeQueue (Value) -> Void = { _ in }
  ) -> RadioCompletion<Value> {
    lastInquiry += 1
    let inquiry = lastInquiry
    inquiries[inquiry] = { completion(.failure($0)) }
    return { [weak self] result in
      if self?.inquiries.removeValue(forKey: inquiry) != nil {
        completion(result)
      } else if case .success(let value) = result {
        late(value)
      }
    }
  }
}

extension BlueZDevice: GATTClientOwner {
  func gattClient(_ client: GATTClient, didNotify value: [UInt8], characteristic: AttributeHandle) {
    host.device(self, didNotify: value, characteristic: characteristic)
  }

  func gattClient(_ client: GATTClient, didModifyServices removed: [AttributeHandle]) {
    host.device(self, didModifyServices: removed)
  }

  func gattClientIsReadyToWriteWithoutResponse(_ client: GATTClient) {
    host.deviceIsReadyToWriteWithoutResponse(self)
  }

  func gattClientDidUpdateMaximumWriteLength(_ client: GATTClient) {
    host.deviceDidUpdateMaximumWriteLength(self)
  }

  func gattClientIsStuck(_ client: GATTClient) {
    Log.notice("link", "\(identifier): GATT does not answer any more, disconnecting")
    handle(.stuck)
  }
}

extension BlueZTiming {
  func duration(of timer: LinkMachine.Timer, _ delay: LinkMachine.Delay) -> Duration {
    if case .retry(let attempt) = delay {
      // 0.3 s, then 1, 2, 4 and 5: one quick retry mends most failures, more of them only keep the controller busy.
      if attempt <= 1 { return connectRetryFirst }
      return min(connectRetryFirst * 3 * (1 << min(attempt - 2, 8)), connectRetryMaximum)
    }
    return switch timer {
    case .retry: connectRetryFirst
    case .closing: closingLimit
    case .resolve: resolveLimit
    case .powerSettle: powerSettle
    case .lostReply: lostReplyLimit
    case .unresolved: unresolvedLimit
    }
  }
}
