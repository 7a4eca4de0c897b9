import BridgeIO
import BridgeProtocol
import Radio

/// The peripheral that one client hosts: its requests on the way to it, and its answers on the way back.
@BridgeQueue
final class SessionHosting: HostedPeripheralDelegate, ChannelOwner {
  unowned let session: Session
  var channels: [SessionChannel] = []
  private let hosting: Hosting
  private let device: HostingDevice
  private(set) var peripheral: (any HostedPeripheral)!
  private let restoreKey: String?
  private var services: [HostedService] = []
  private var advertisement: AdvertisementData?
  private var requests: [Int: Request] = [:]
  private var nextRequest = 1
  private var oldestRequest = 1
  /// Commands of centrals that wait until the client reads.
  private var heldCommands: [RadioCompletion<Void>] = []
  /// Updates that wait until all centrals read.
  private var heldUpdates: [Int] = []
  private var outstandingUpdates = 0
  private var isReadingPaused = false
  private var isOpen = true

  private static let requestLimit = 1024
  private static let updateLimit = 1024

  private enum Request {
    case read(RadioCompletion<[UInt8]>)
    case write(RadioCompletion<Void>)
  }

  init(_ session: Session, on device: HostingDevice, _ hosting: Hosting, _ request: HostPeripheral) {
    self.session = session
    self.hosting = hosting
    self.device = device
    restoreKey = Self.restoreKey(of: session, request)
    let name = request.restoreIdentifier?.shortened ?? ""
    peripheral = hosting.world.makePeripheral(on: device.host, name: name, delegate: self)
  }

  /// What a client's peripheral is kept under.
  static func restoreKey(of session: Session, _ request: HostPeripheral) -> String? {
    request.restoreIdentifier.map { "\(session.appName)/\($0.shortened)" }
  }

  private func send(_ event: PeripheralEvent) { session.send(.peripheral(event)) }

  // MARK: Beginning and end

  func start() {
    if hosting.state == .poweredOn, let restoreKey, let kept = hosting.takeKept(restoreKey) { restore(kept) }
    tellState()
  }

  private func restore(_ kept: KeptPeripheral) {
    send(
      .didRestorePeripheral(DidRestorePeripheral(services: kept.services, advertisement: kept.advertisement)))
    for service in kept.services {
      services.append(service)
      peripheral.publish(service) { _ in }
    }
    guard let advertisement = kept.advertisement else { return }
    self.advertisement = advertisement
    peripheral.startAdvertising(advertisement) { _ in }
  }

  func tellState() {
    if hosting.state.rawValue < AdapterState.poweredOff.rawValue {
      services = []
      advertisement = nil
      closeChannels { _ in true }
    }
    send(.hostingState(HostingState(state: hosting.state)))
  }

  /// The client is gone.
  func close() {
    guard isOpen else { return }
    isOpen = false
    if let restoreKey, !services.isEmpty || advertisement != nil {
      hosting.keep(
        KeptPeripheral(
          services: services, advertisement: advertisement, deviceKey: device.key, host: device.host),
        as: restoreKey)
    }
    for channel in channels { channel.close() }
    peripheral.close()
    requests = [:]
    heldCommands = []
  }

  // MARK: From the client

  func handle(_ request: PeripheralRequest) {
    switch request {
    case .respond(let response): respond(response)
    case .updateSubscribers(let update): self.update(update)
    case .hostPeripheral: tellState()
    case .publishService(let request): publish(request.service)
    case .unpublishService(let request): unpublish(request.service)
    case .startAdvertising(let request): startAdvertising(request.advertisement)
    case .stopAdvertising:
      advertisement = nil
      peripheral.stopAdvertising()
    case .setConnectionLatency(let request):
      peripheral.setConnectionLatency(request.latency, for: request.central)
    case .publishL2CAP(let request): publishChannel(request)
    case .unpublishL2CAP(let request): unpublishChannel(request.psm)
    }
  }

  private func publish(_ service: HostedService) {
    peripheral.publish(service) { [weak self] result in
      guard let self, isOpen else { return }
      if result.failure == nil { services.append(service) }
      send(.didPublishService(DidPublishService(service: service.id, error: result.failure)))
    }
  }

  private func unpublish(_ service: Int?) {
    if let service { services.removeAll { $0.id == service } } else { services = [] }
    peripheral.unpublish(service)
  }

  private func startAdvertising(_ data: AdvertisementData) {
    peripheral.startAdvertising(data) { [weak self] result in
      guard let self, isOpen else { return }
      if result.failure == nil { advertisement = data }
      send(.didStartAdvertising(DidStartAdvertising(error: result.failure)))
    }
  }

  // MARK: Requests of centrals

  func read(
    _ characteristic: Int, offset: Int, by central: HostedCentral, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    let number = add(.read(completion))
    send(
      .didReceiveRead(
        DidReceiveRead(request: number, central: central, characteristic: characteristic, offset: offset)))
  }

  func write(
    _ writes: [HostedWrite], withResponse: Bool, by central: HostedCentral, completion: @escaping RadioCompletion<Void>
  ) {
    // Not answered on air: apps need not answer either, and what they say goes nowhere.
    let number = withResponse ? add(.write(completion)) : add(nil)
    send(
      .didReceiveWrite(
        DidReceiveWrite(request: number, central: central, writes: writes, withResponse: withResponse)))
    guard !withResponse else { return }
    if session.channel.isCongested { heldCommands.append(completion) } else { completion(.success(())) }
  }

  private func add(_ request: Request?) -> Int {
    defer { nextRequest += 1 }
    requests[nextRequest] = request
    if requests.count > Self.requestLimit { failOldest() }
    return nextRequest
  }

  /// Of a client that never answers. Its central's link is lost by then.
  private func failOldest() {
    while requests[oldestRequest] == nil { oldestRequest += 1 }
    finish(requests.removeValue(forKey: oldestRequest), .failure(.attribute(0x0E)))
  }

  private func respond(_ response: RespondToRequest) {
    let request = requests.removeValue(forKey: response.request)
    finish(request, response.result == 0 ? .success(response.value) : .failure(.attribute(response.result)))
  }

  /// An answer that cannot be read is all that the central gets.
  func refuseResponse(_ failed: FailedRequest) {
    finish(failed.number.flatMap { requests.removeValue(forKey: $0) }, .failure(.attribute(0x0E)))
  }

  private func finish(_ request: Request?, _ result: Result<[UInt8], BluetoothError>) {
    switch request {
    case .read(let completion): completion(result)
    case .write(let completion): completion(result.map { _ in })
    case nil: break
    }
  }

  /// The client has read something.
  func drained() {
    let held = heldCommands
    heldCommands = []
    for completion in held { completion(.success(())) }
  }

  // MARK: Updates

  func didSubscribe(_ central: HostedCentral, to characteristic: Int) {
    send(.didSubscribe(DidSubscribe(central: central, characteristic: characteristic)))
  }

  func didUnsubscribe(_ central: HostedCentral, from characteristic: Int) {
    send(.didUnsubscribe(DidUnsubscribe(central: central, characteristic: characteristic)))
  }

  private func update(_ update: UpdateSubscribers) {
    outstandingUpdates += 1
    if outstandingUpdates > Self.updateLimit, !isReadingPaused {
      isReadingPaused = true
      session.channel.pauseReading()
    }
    peripheral.update(update.value, of: update.characteristic, to: update.centrals.map { Set($0) }) { [weak self] in
      guard let self, isOpen else { return }
      if hosting.isCongested(peripheral.id) { heldUpdates.append(update.update) } else { updated(update.update) }
    }
  }

  private func updated(_ number: Int) {
    outstandingUpdates -= 1
    if isReadingPaused, outstandingUpdates <= Self.updateLimit / 2 {
      isReadingPaused = false
      session.channel.resumeReading()
    }
    send(.didUpdateSubscribers(DidUpdateSubscribers(update: number)))
  }

  /// A central has read something, or is gone.
  func centralDrained() {
    guard !heldUpdates.isEmpty, !hosting.isCongested(peripheral.id) else { return }
    let held = heldUpdates
    heldUpdates = []
    for number in held { updated(number) }
  }

  // MARK: Channels

  private func publishChannel(_ request: PublishL2CAP) {
    peripheral.publishL2CAPChannel(encryptionRequired: request.encryptionRequired) { [weak self] result in
      guard let self, isOpen else { return }
      send(.didPublishL2CAP(DidPublishL2CAP(psm: (try? result.get()) ?? 0, error: result.failure)))
    }
  }

  private func unpublishChannel(_ psm: UInt16) {
    peripheral.unpublishL2CAPChannel(psm: psm) { [weak self] result in
      guard let self, isOpen else { return }
      closeChannels { $0 == psm }
      send(.didUnpublishL2CAP(DidUnpublishL2CAP(psm: psm, error: result.failure)))
    }
  }

  private func closeChannels(_ isMeant: (UInt16) -> Bool) {
    for channel in channels where isMeant(channel.psm) {
      channel.close()
      session.send(.l2capClosed(L2CAPClosed(channelId: channel.id)))
    }
  }

  func didAccept(_ channel: any RadioL2CAPChannel, psm: UInt16, from central: HostedCentral) {
    let channel = session.add(channel, psm: psm, peer: central.id, owner: self)
    send(.didAcceptL2CAP(DidAcceptL2CAP(channelId: channel.id, psm: psm, central: central)))
    channel.start()
  }

  /// Channels of a hosted peripheral are no traffic with devices.
  func record(_ operation: ActivityOperation, psm: UInt16, read: Int, written: Int, error: BluetoothError?) {}
}
