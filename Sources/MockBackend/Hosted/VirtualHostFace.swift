import BridgeIO
import BridgeProtocol
import Radio

/// A hosted peripheral as one device finds and uses it.
@BridgeQueue
final class VirtualHostFace: VirtualPeripheral {
  nonisolated let id: PeripheralIdentifier
  weak var radio: VirtualRadio?
  let centralID: PeripheralIdentifier
  private unowned let host: VirtualHost
  /// Attempts that wait until it advertises.
  private var connects: [RadioCompletion<Void>] = []
  private var subscriptions: Set<Int> = []
  private var updates: [HostedUpdate] = []
  private var firstUpdate = 0
  private var handles: [Int: AttributeHandle] = [:]
  /// Runs while an update is on its way that takes its time.
  private var pace: QueueTimer?

  init(of host: VirtualHost, to device: HostDevice) {
    id = host.id
    self.host = host
    centralID = .central(device)
  }

  private var options: VirtualHostedWorld.Options { host.world.options }

  private var central: HostedCentral {
    HostedCentral(id: centralID, maximumUpdateValueLength: radio?.maximumNotificationLength(of: id) ?? 20)
  }

  // MARK: On air

  var name: String? {
    if options.showsLocalName, let name = host.advertisement?.localName { return name }
    return host.device.name ?? host.advertisement?.localName
  }
  var rssi: Int { options.rssi() }
  var advertisement: AdvertisementData? { host.advertisement }
  var advertisingInterval: Duration? { options.advertisingInterval }
  var maximumMTU: Int { options.maximumMTU }
  var pairing: VirtualPairing { options.pairing }
  var services: [VirtualService] { host.virtualServices }

  func advertisingChanged() {
    radio?.advertisementChanged(id)
    guard host.advertisement != nil else { return }
    let connects = connects
    self.connects = []
    for connect in connects { connect(.success(())) }
  }

  // MARK: The link

  /// Only who advertises can be connected to.
  func connect(completion: @escaping RadioCompletion<Void>) {
    if host.advertisement != nil { completion(.success(())) } else { connects.append(completion) }
  }

  func dropLink() { radio?.dropLink(of: id) }

  func didDisconnect() {
    connects = []
    let central = central
    for characteristic in subscriptions.sorted() { host.delegate?.didUnsubscribe(central, from: characteristic) }
    subscriptions = []
    pace?.cancel()
    pace = nil
    while let update = popUpdate() { update.left() }
  }

  // MARK: Attributes

  func servicesChanged() {
    handles = [:]
    subscriptions = subscriptions.filter { host.place(of: $0) != nil }
    radio?.servicesChanged(id)
  }

  func read(_ attribute: VirtualAttribute, offset: Int, completion: @escaping RadioCompletion<[UInt8]>) {
    guard let delegate = host.delegate, let characteristic = host.characteristic(at: attribute.place) else {
      return completion(.failure(.attribute(0x01)))
    }
    if let position = attribute.place.descriptor {
      guard characteristic.descriptors.indices.contains(position) else { return completion(.failure(.attribute(0x01))) }
      return completion(characteristic.descriptors[position].value.piece(from: offset))
    }
    guard !characteristic.permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) else {
      return completion(.failure(.attribute(0x02)))
    }
    if let value = characteristic.value { return completion(value.piece(from: offset)) }
    delegate.read(characteristic.id, offset: offset, by: central, completion: completion)
  }

  func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>
  ) {
    guard let delegate = host.delegate, let characteristic = host.characteristic(at: attribute.place) else {
      return completion(.failure(.attribute(0x01)))
    }
    guard !characteristic.permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired]) else {
      return completion(.failure(.attribute(0x03)))
    }
    delegate.write(
      [HostedWrite(characteristic: characteristic.id, value: value)], withResponse: withResponse, by: central,
      completion: completion)
  }

  func setNotify(
    _ subscription: VirtualSubscription, _ attribute: VirtualAttribute, completion: @escaping RadioCompletion<Void>
  ) {
    guard let characteristic = host.characteristic(at: attribute.place) else {
      return completion(.failure(.attribute(0x01)))
    }
    if subscription == .none {
      if subscriptions.remove(characteristic.id) != nil {
        host.delegate?.didUnsubscribe(central, from: characteristic.id)
      }
    } else if subscriptions.insert(characteristic.id).inserted {
      host.delegate?.didSubscribe(central, to: characteristic.id)
    }
    completion(.success(()))
  }

  // MARK: Updates

  func send(_ update: HostedUpdate) {
    guard subscriptions.contains(update.characteristic) else { return }
    update.began()
    updates.append(update)
    if updates.count - firstUpdate == 1 { sendUpdates() }
  }

  func isReadyToNotify() { sendUpdates() }

  private func sendUpdates() {
    while firstUpdate < updates.count, pace == nil {
      let update = updates[firstUpdate]
      if let handle = handle(of: update.characteristic) {
        guard radio?.notify(update.value, characteristic: handle, of: id) ?? true else { return }
      }
      if options.updateInterval == .zero {
        _ = popUpdate()
        update.left()
      } else {
        pace = QueueTimer(after: options.updateInterval) { [weak self] in self?.updateHasLeft() }
      }
    }
  }

  private func updateHasLeft() {
    pace = nil
    popUpdate()?.left()
    sendUpdates()
  }

  private func popUpdate() -> HostedUpdate? {
    guard firstUpdate < updates.count else { return nil }
    let update = updates[firstUpdate]
    firstUpdate += 1
    if firstUpdate == updates.count || firstUpdate >= 64 {
      updates.removeFirst(firstUpdate)
      firstUpdate = 0
    }
    return update
  }

  private func handle(of characteristic: Int) -> AttributeHandle? {
    if let handle = handles[characteristic] { return handle }
    guard let place = host.place(of: characteristic) else { return nil }
    let handle = radio?.attribute(at: place, of: id)?.handle
    handles[characteristic] = handle
    return handle
  }

  // MARK: L2CAP

  func securityOfL2CAPChannel(psm: UInt16) -> MockSecurityLevel? { host.psms[psm].map { $0 ? .encryption : .none } }

  func openL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<VirtualChannel>) {
    guard let delegate = host.delegate, host.psms[psm] != nil else { return completion(.failure(.connectionFailed)) }
    let (theirs, ours) = VirtualChannel.pair(psm: psm)
    delegate.didAccept(ours, psm: psm, from: central)
    completion(.success(theirs))
  }
}

extension [UInt8] {
  /// The value from `offset` on, for a read.
  fileprivate func piece(from offset: Int) -> Result<[UInt8], BluetoothError> {
    if offset == 0 { return .success(self) }
    return offset > count ? .failure(.attribute(0x07)) : .success(Array(self[offset...]))
  }
}
