import BridgeIO
import BridgeProtocol
import Radio

/// One link to a virtual peripheral: its requests one after another, as ATT has them, its subscriptions and its keys.
@BridgeQueue
final class VirtualLink {
  enum State {
    /// The peripheral cannot be heard; asked when it can.
    case waiting
    case connecting
    case connected
    case ended
  }

  enum Operation {
    case discover(RadioCompletion<GATTDatabase>)
    case read(AttributeHandle, RadioCompletion<[UInt8]>)
    case write([UInt8], AttributeHandle, RadioCompletion<Void>)
    case command([UInt8], AttributeHandle, RadioCompletion<Void>)
    case subscribe(Bool, AttributeHandle, RadioCompletion<Void>)
  }

  let device: VirtualDevice
  unowned let radio: VirtualRadio
  var state = State.waiting
  private(set) var mtu = 23
  var security = MockSecurityLevel.none
  private(set) var subscriptions: [AttributeHandle: VirtualSubscription] = [:]
  private var operations = OperationQueue()
  private var isRunning = false
  /// Counts requests, so that what a peripheral says too late or twice is told from an answer.
  private var serial = 0
  private var current: Operation?
  private var timer: QueueTimer?
  private var pairing: PairingProcess?
  private var pairingWaiters: [(level: MockSecurityLevel, completion: @BridgeQueue (BluetoothError?) -> Void)] = []
  /// What waits besides ATT requests and fails with the link.
  private var others: [Int: @BridgeQueue (BluetoothError) -> Void] = [:]
  private var nextOther = 0
  private var channels: [VirtualChannel] = []
  private var waitingCommands = 0
  private var lacksCommandRoom = false
  private var waitingNotifications = 0
  private var lacksNotificationRoom = false
  private var deliveredNotifications = 0
  /// While nobody who gets the notifications keeps up with them.
  private var isWaitingForReaders = false
  private static let readerCheck = 64
  private static let readerDelay = Duration.milliseconds(5)

  init(to device: VirtualDevice, of radio: VirtualRadio) {
    self.device = device
    self.radio = radio
  }

  var id: PeripheralIdentifier { device.peripheral.id }
  private var peripheral: any VirtualPeripheral { device.peripheral }
  private var isLax: Bool { radio.options.compatibility == .impossible }

  func connected() {
    state = .connected
    exchangeMTU()
    security = radio.bonds[id] ?? .none
    peripheral.didConnect()
  }

  /// - Returns: whether it is another than before.
  @discardableResult
  func exchangeMTU() -> Bool {
    let old = mtu
    mtu = min(max(peripheral.maximumMTU, 23), 517)
    return mtu != old
  }

  var maximumWriteLength: Int { min(mtu - 3, ProtocolLimits.maximumValueLength) }

  // MARK: Requests in their order

  func submit(_ operation: Operation) {
    operations.append(operation)
    if case .command = operation { waitingCommands += 1 }
    run()
  }

  private func run() {
    guard !isRunning else { return }
    isRunning = true
    while current == nil, state == .connected, let next = operations.popFirst() {
      current = next
      serial += 1
      perform(next)
      // Most are answered at once; a timer for those would be waste.
      if current != nil, pairing == nil { startTimer() }
    }
    isRunning = false
  }

  private func perform(_ operation: Operation) {
    switch operation {
    case .discover: discover()
    case .read(let handle, _): read(handle)
    case .write(let value, let handle, _): write(value, handle, withResponse: true)
    case .command(let value, let handle, _): write(value, handle, withResponse: false)
    case .subscribe(let enable, let handle, _): subscribe(enable, handle)
    }
  }

  /// A peripheral that does not answer in time is lost.
  private func startTimer() {
    timer?.cancel()
    timer = QueueTimer(after: radio.options.transactionTimeout) { [weak self] in
      guard let self, state == .connected else { return }
      radio.end(self, .connectionTimeout)
    }
  }

  private func finish(_ error: BluetoothError?) { finish(error.map { .failure($0) } ?? .success([])) }

  /// Answers the current request and goes on.
  private func finish(_ result: Result<[UInt8], BluetoothError>) {
    guard let operation = current else { return }
    current = nil
    timer?.cancel()
    timer = nil
    answer(operation, result)
    run()
  }

  private func answer(_ operation: Operation, _ result: Result<[UInt8], BluetoothError>) {
    let deliveries = radio.deliveries
    switch operation {
    case .discover(let completion):
      let database = result.map { [radio, device] _ in radio.database(of: device) }
      deliveries.add { completion(database) }
    case .read(_, let completion): deliveries.add(.read(completion, result))
    case .write(_, _, let completion), .subscribe(_, _, let completion):
      deliveries.add(.done(completion, result.map { _ in }))
    case .command(_, _, let completion):
      deliveries.add(.done(completion, result.map { _ in }))
      waitingCommands -= 1
      tellCommandRoom()
    }
  }

  // MARK: What the requests do

  private func discover() {
    let serial = serial
    peripheral.discoverServices { [self] result in
      if serial == self.serial { finish(result.map { [] }) }
    }
  }

  private func read(_ handle: AttributeHandle) {
    guard let attribute = device.table[handle] else { return finish(.attribute(0x01)) }
    if attribute.isConfiguration {
      let value = subscriptions[attribute.characteristic] ?? .none
      return finish(.success([value.rawValue, 0]))
    }
    if !attribute.isDescriptor, !isLax, !attribute.properties.contains(.read) { return finish(.attribute(0x02)) }
    secured(attribute.readSecurity) { [self] in readPiece(of: attribute, behind: []) }
  }

  /// A value that fills its answer may be longer: the next piece is asked for.
  private func readPiece(of attribute: VirtualAttribute, behind start: [UInt8]) {
    let serial = serial
    // Each piece is a transaction.
    if timer != nil { startTimer() }
    peripheral.read(attribute, offset: start.count) { [self] result in
      guard serial == self.serial, current != nil else { return }
      switch result {
      case .success(let bytes): received(bytes, behind: start, of: attribute)
      // It was not longer.
      case .failure(.attributeNotLong) where !start.isEmpty: finish(.success(start))
      case .failure(let error): finish(error)
      }
    }
  }

  private func received(_ bytes: [UInt8], behind start: [UInt8], of attribute: VirtualAttribute) {
    let limit = ProtocolLimits.maximumValueLength
    if start.isEmpty, bytes.count < mtu - 1, bytes.count <= limit { return finish(.success(bytes)) }
    let value = start + bytes.prefix(min(mtu - 1, limit - start.count))
    if bytes.count < mtu - 1 || value.count >= limit { return finish(.success(value)) }
    readPiece(of: attribute, behind: value)
  }

  private func write(_ value: [UInt8], _ handle: AttributeHandle, withResponse: Bool) {
    guard let attribute = device.table[handle] else { return finish(.attribute(0x01)) }
    if attribute.isConfiguration { return configure(value, attribute) }
    if !isLax, let error = refusal(of: value, attribute, withResponse: withResponse) { return finish(error) }
    secured(attribute.writeSecurity) { [self] in
      let serial = serial
      peripheral.write(value, to: attribute, withResponse: withResponse) { [self] result in
        if serial == self.serial { finish(result.map { [] }) }
      }
    }
  }

  private func refusal(of value: [UInt8], _ attribute: VirtualAttribute, withResponse: Bool) -> BluetoothError? {
    if attribute.isDescriptor {
      if !attribute.isWritableDescriptor { return .attribute(0x03) }
    } else if !attribute.properties.contains(withResponse ? .write : .writeWithoutResponse) {
      return .attribute(0x03)
    }
    if value.count > attribute.maximumLength { return .attribute(0x0D) }
    // What does not fit into one packet goes as a long write, which has a response.
    let isTooLong = !withResponse && value.count > maximumWriteLength && !attribute.properties.contains(.write)
    return isTooLong ? .attribute(0x0D) : nil
  }

  // MARK: Subscriptions

  private func subscribe(_ enable: Bool, _ handle: AttributeHandle) {
    guard let attribute = device.table[handle], !attribute.isDescriptor else { return finish(.attribute(0x01)) }
    guard !attribute.properties.isDisjoint(with: .subscribable) || isLax else { return finish(.attribute(0x06)) }
    let isNotifying = !attribute.properties.isDisjoint(with: .notifying)
    setSubscription(enable ? (isNotifying ? .notify : .indicate) : .none, attribute)
  }

  /// Writes 2902 itself.
  private func configure(_ value: [UInt8], _ attribute: VirtualAttribute) {
    guard value.count == 2 else { return finish(.attribute(0x0D)) }
    guard let subscription = VirtualSubscription(rawValue: value[0]), value[1] == 0,
      let characteristic = device.table[attribute.characteristic]
      // "Client Characteristic Configuration Descriptor Improperly Configured", Core Specification Supplement, Part B.
    else { return finish(.attribute(0xFD)) }
    setSubscription(subscription, characteristic)
  }

  private func setSubscription(_ subscription: VirtualSubscription, _ characteristic: VirtualAttribute) {
    let handle = characteristic.handle
    guard (subscriptions[handle] ?? .none) != subscription else { return finish(nil) }
    secured(subscription == .none ? .none : characteristic.notifySecurity) { [self] in
      let serial = serial
      let old = subscriptions[handle]
      // Before it is asked: the first value may come before the answer (GATT-23).
      subscriptions[handle] = subscription == .none ? nil : subscription
      peripheral.setNotify(subscription, characteristic) { [self] result in
        guard serial == self.serial, current != nil else { return }
        if case .failure = result { subscriptions[handle] = old }
        finish(result.map { [] })
      }
    }
  }

  /// Forgets what concerned attributes that are no more.
  func tableChanged() {
    subscriptions = subscriptions.filter { device.table[$0.key] != nil }
  }

  // MARK: Security

  /// Runs `body` once the link is as secure as that, else answers the current request with why it is not.
  private func secured(_ level: MockSecurityLevel, _ body: @escaping @BridgeQueue () -> Void) {
    if level <= security { return body() }
    let serial = serial
    secure(level) { [self] error in
      guard serial == self.serial, current != nil else { return }
      if let error { return finish(error) }
      body()
      if current != nil { startTimer() }
    }
  }

  private func secure(_ level: MockSecurityLevel, _ completion: @escaping @BridgeQueue (BluetoothError?) -> Void) {
    // A channel and a request may want it at the same time.
    guard pairing == nil else { return pairingWaiters.append((level, completion)) }
    pairing = PairingProcess(of: peripheral, to: level, radio) { [weak self] result in
      guard let self else { return }
      pairing = nil
      switch result {
      case .success(let level):
        security = level
        radio.bonds[id] = level
        completion(nil)
      case .failure(let error): completion(error)
      }
      continueWaiters(result)
    }
    pairing?.start()
  }

  /// Types the passkey that the device shows; nil refuses.
  ///
  /// - Returns: whether it waited for one.
  func enterPasskey(_ text: String?) -> Bool {
    guard let pairing, pairing.isAsking else { return false }
    pairing.typed(text)
    return true
  }

  private func continueWaiters(_ result: Result<MockSecurityLevel, BluetoothError>) {
    let waiters = pairingWaiters
    pairingWaiters = []
    for (level, completion) in waiters {
      if case .failure(let error) = result {
        completion(error)
      } else if level <= security {
        completion(nil)
      } else {
        secure(level, completion)
      }
    }
  }

  // MARK: Room for commands and notifications

  var canSendCommand: Bool {
    if state == .connected, waitingCommands < radio.options.commandQueueDepth { return true }
    lacksCommandRoom = state == .connected
    return false
  }

  private func tellCommandRoom() {
    guard lacksCommandRoom, waitingCommands <= radio.options.commandQueueDepth / 2 else { return }
    lacksCommandRoom = false
    radio.deliveries.add { [radio, id] in radio.observer?.radio(radio, isReadyToWriteWithoutResponse: id) }
  }

  /// - Returns: false if there is no room; `isReadyToNotify` follows.
  func notify(_ value: [UInt8], _ characteristic: AttributeHandle) -> Bool {
    guard subscriptions[characteristic] != nil else { return true }
    guard waitingNotifications < radio.options.notificationQueueDepth, !isWaitingForReaders else {
      lacksNotificationRoom = true
      return false
    }
    waitingNotifications += 1
    let limit = maximumWriteLength
    let value = value.count > limit ? Array(value.prefix(limit)) : value
    radio.deliveries.add(.notification(value, characteristic, self))
    return true
  }

  func notificationDelivered() {
    waitingNotifications -= 1
    deliveredNotifications &+= 1
    if deliveredNotifications % Self.readerCheck == 0 { checkReaders() }
    tellNotificationRoom()
  }

  private func checkReaders() {
    guard !isWaitingForReaders, !canBeRead else { return }
    isWaitingForReaders = true
    waitForReaders()
  }

  private var canBeRead: Bool { radio.observer?.radio(radio, canTakeNotificationsOf: id) ?? true }

  private func waitForReaders() {
    QueueTimer(after: Self.readerDelay) { [weak self] in
      guard let self, state == .connected else { return }
      guard canBeRead else { return waitForReaders() }
      isWaitingForReaders = false
      tellNotificationRoom()
    }
  }

  private func tellNotificationRoom() {
    guard lacksNotificationRoom, waitingNotifications == 0, !isWaitingForReaders else { return }
    lacksNotificationRoom = false
    // In another turn, so that a peripheral that always has more leaves others theirs.
    BridgeQueue.async { [weak self] in
      if let self, state == .connected { peripheral.isReadyToNotify() }
    }
  }

  // MARK: Besides ATT

  /// A completion that fails with the link.
  func untilEnd<Value>(_ completion: @escaping RadioCompletion<Value>) -> RadioCompletion<Value> {
    let number = nextOther
    nextOther += 1
    let deliveries = radio.deliveries
    others[number] = { error in deliveries.add { completion(.failure(error)) } }
    return { [weak self] result in
      guard let self, others.removeValue(forKey: number) != nil else { return }
      deliveries.add { completion(result) }
    }
  }

  func openChannel(psm: UInt16, _ completion: @escaping RadioCompletion<any RadioL2CAPChannel>) {
    let completion = untilEnd(completion)
    guard let level = peripheral.securityOfL2CAPChannel(psm: psm) else {
      return completion(.failure(.connectionFailed))
    }
    let open: @BridgeQueue () -> Void = { [self] in
      peripheral.openL2CAPChannel(psm: psm) { [self] result in
        guard state == .connected else {
          try? result.get().abort()
          return
        }
        if case .success(let channel) = result {
          channels.removeAll { $0.isClosed }
          channels.append(channel)
        }
        completion(result.map { $0 })
      }
    }
    if level <= security { return open() }
    secure(level) { error in if let error { completion(.failure(error)) } else { open() } }
  }

  func closeOrphanedChannels() {
    for channel in channels where peripheral.securityOfL2CAPChannel(psm: channel.psm) == nil { channel.abort() }
    channels.removeAll { $0.isClosed }
  }

  // MARK: The end

  /// Fails what waits; the caller tells the end itself.
  func end(_ error: BluetoothError) {
    guard state != .ended else { return }
    let hadLink = state == .connected || state == .connecting
    state = .ended
    timer?.cancel()
    pairing?.cancel()
    pairing = nil
    pairingWaiters = []
    lacksCommandRoom = false
    if let current { answer(current, .failure(error)) }
    current = nil
    while let operation = operations.popFirst() { answer(operation, .failure(error)) }
    for (_, fail) in others.sorted(by: { $0.key < $1.key }) { fail(error) }
    others = [:]
    for channel in channels { channel.abort() }
    channels = []
    subscriptions = [:]
    if hadLink { peripheral.didDisconnect() }
  }
}

extension BluetoothError {
  fileprivate static let attributeNotLong = attribute(0x0B)

  fileprivate static func ~= (pattern: BluetoothError, error: BluetoothError) -> Bool {
    pattern.domain == error.domain && pattern.code == error.code
  }
}

/// First in, first out.
private struct OperationQueue {
  private var items: [VirtualLink.Operation?] = []
  private var first = 0

  mutating func append(_ item: VirtualLink.Operation) { items.append(item) }

  mutating func popFirst() -> VirtualLink.Operation? {
    guard first < items.count else { return nil }
    let item = items[first]
    items[first] = nil
    first += 1
    if first == items.count {
      items.removeAll(keepingCapacity: first <= 256)
      first = 0
    }
    return item
  }
}
