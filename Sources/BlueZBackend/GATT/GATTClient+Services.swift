import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// The attribute table: made when bluetoothd has resolved the services, and again when they change.
extension GATTClient {
  /// Services on their way from one table to the next.
  final class ServiceChange {
    let began = ContinuousClock.Instant.now
    /// Handles of services of which an object went away.
    var touched: Set<AttributeHandle> = []
    var quiet: QueueTimer?
    var barrier: PendingCall?

    @BridgeQueue
    func cancel() {
      quiet?.cancel()
      barrier?.cancel()
    }
  }

  /// `ServicesResolved` became true, and a round trip to bluetoothd has confirmed that its objects are in the cache.
  func servicesResolved() {
    guard endError == nil, change == nil else { return }
    let old = table
    rebuild()
    if let old { tellChanges(from: old, touched: []) }
    answerDiscoveries()
  }

  func discoverServices(completion: @escaping RadioCompletion<GATTDatabase>) {
    if let endError {
      BridgeQueue.atEndOfTurn { completion(.failure(endError)) }
      return
    }
    discoveries.append(completion)
    // Until a change has settled, a table would be half old and half new.
    guard table != nil, change == nil, discoveries.count == 1 else { return }
    BridgeQueue.atEndOfTurn { self.answerDiscoveries() }
  }

  private func answerDiscoveries() {
    guard change == nil, !discoveries.isEmpty, table != nil else { return }
    if isTableStale { rebuild() }
    guard let table else { return }
    attributes = table.attributes
    let waiting = discoveries
    discoveries = []
    for completion in waiting { completion(.success(table.database)) }
  }

  private func rebuild() {
    isTableStale = false
    table = AttributeTable(
      below: devicePath, of: cache, replaced: paths.replacedServices, keeping: table?.byPath ?? [:])
    tellWriteLength()
  }

  // MARK: Properties

  /// Properties other than `Value` changed on an object below the device.
  func propertiesChanged(path: String, interface: String, changed: [String: Value]) {
    switch interface {
    case GATTNames.characteristic:
      guard let new = changed["MTU"]?.int else { return }
      mtu = new
      tellWriteLength()
    case GATTNames.service:
      if changed["Includes"] != nil { isTableStale = true }
    default: break
    }
  }

  private func tellWriteLength() {
    guard toldWriteLength != maximumWriteLength else { return }
    toldWriteLength = maximumWriteLength
    owner?.gattClientDidUpdateMaximumWriteLength(self)
  }

  /// The link's ATT MTU as any characteristic shows it; nil before BlueZ 5.62.
  var knownMTU: Int? {
    if mtu == nil, let table {
      mtu =
        table.byPath.values.lazy
        .filter { $0.kind == .characteristic }
        .compactMap { self.cache.properties(of: $0.path.text, GATTNames.characteristic)?["MTU"]?.int }
        .first { $0 >= 23 }
    }
    return mtu
  }

  // MARK: Changes

  /// Objects below the device appeared or vanished while linked (already applied to the cache).
  func objectsChanged(added: [String], removed: [String]) {
    guard endError == nil else { return }
    let services = (removed + added).compactMap { AttributeTable.servicePath(of: $0, below: devicePath) }
    guard table != nil, !services.isEmpty else { return }
    let change = change ?? ServiceChange()
    self.change = change
    let gone = removed.compactMap { remove($0, change) }
    for attribute in gone { failRequests(of: attribute) }
    for path in added where AttributeTable.handle(of: path, "service") != nil { paths.serviceAdded(path) }
    waitForQuiet(change)
  }

  private func remove(_ path: String, _ change: ServiceChange) -> Attribute? {
    if let service = AttributeTable.servicePath(of: path, below: devicePath) {
      if let handle = AttributeTable.handle(of: service, "service") { change.touched.insert(handle) }
      if service == path { paths.serviceRemoved(path) }
    }
    guard let attribute = table?.byPath[path], !attribute.isRemoved else { return nil }
    attribute.isRemoved = true
    endSubscription(of: attribute)
    if attributes[attribute.handle] === attribute { attributes[attribute.handle] = nil }
    return attribute
  }

  /// bluetoothd never answers what is out; what still waits is refused when its turn comes.
  private func failRequests(of attribute: Attribute) {
    for request in commands where request.attribute === attribute { abandon(request) }
    if let current, current.attribute === attribute { abandon(current) }
  }

  private func abandon(_ request: GATTRequest) {
    // bluetoothd (5.64 to 5.72) removes a device, with all its objects, half a minute after pairing with it failed.
    if !isPaired, .now - request.started > timing.failedPairing { return finish(request, .failure(.attribute(0x0F))) }
    // The objects of a device that is removed go before the device does; that is the link's end, not a change.
    wait(timing.linkLoss, before: .attribute(0x01), of: request)
  }

  private func waitForQuiet(_ change: ServiceChange) {
    let isRestless = ContinuousClock.now - change.began > timing.changeLimit
    if isRestless, change.quiet?.isPending == true || change.barrier != nil { return }
    change.cancel()
    change.barrier = nil
    change.quiet = QueueTimer(after: timing.changeQuiet) { self.askBarrier(change) }
  }

  /// bluetoothd sends what it has to announce before it replies.
  private func askBarrier(_ change: ServiceChange) {
    let message = Message.methodCall(
      to: GATTNames.bluez, path: ObjectPath(devicePath), interface: GATTNames.properties, member: "Get")
    message.append(.string(GATTNames.device), .string("ServicesResolved"))
    change.barrier = bus.call(message) { _ in self.settle(change) }
  }

  private func settle(_ change: ServiceChange) {
    guard endError == nil, self.change === change, let old = table else { return }
    self.change = nil
    rebuild()
    tellChanges(from: old, touched: change.touched)
    answerDiscoveries()
  }

  private func tellChanges(from old: AttributeTable, touched: Set<AttributeHandle>) {
    guard let table else { return }
    let changes = AttributeTable.changes(from: old.database, to: table.database, touched: touched)
    guard changes.any else { return }
    for handle in changes.invalidated { invalidate(handle, in: old) }
    owner?.gattClient(self, didModifyServices: changes.invalidated)
  }

  /// The attributes of a service that is told to be gone have no handles until it is discovered again.
  private func invalidate(_ service: AttributeHandle, in old: AttributeTable) {
    guard let service = old.database.services.first(where: { $0.handle == service }) else { return }
    for characteristic in service.characteristics {
      attributes[characteristic.handle] = nil
      for descriptor in characteristic.descriptors { attributes[descriptor.handle] = nil }
    }
  }
}
