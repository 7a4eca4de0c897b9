import BridgeIO
import BridgeProtocol
import DBus
import Radio

/// Requests on their way: sending, replies, repeats, limits.
extension GATTClient {
  /// Of so many commands in a row one is replied to. bluetoothd handles them in order, so its reply speaks for those
  /// before it, and a reply costs as much as the command.
  private static let commandsPerReply = 8

  func submit(
    _ handle: AttributeHandle, _ completion: GATTRequest.Completion, work: (Attribute) -> GATTRequest.Work
  ) {
    let attribute = attributes[handle]
    let request = GATTRequest(attribute.map(work) ?? .refuse(.attribute(0x01)), attribute, completion)
    submit(request)
  }

  func submit(_ request: GATTRequest) {
    if let endError { return refuseLater(request, endError) }
    guard queue.append(request, isCommand: request.isCommand, valueBytes: request.valueBytes) else {
      return refuseLater(request, .outOfSpace)
    }
    if request.isCommand { sendCommandsLater() } else { sendNext() }
  }

  /// At the end of the turn it is known which command is the last of several, and so the one to be replied to.
  private func sendCommandsLater() {
    guard !willSendCommands else { return }
    willSendCommands = true
    BridgeQueue.atEndOfTurn { [weak self] in
      guard let self else { return }
      willSendCommands = false
      sendNext()
    }
  }

  /// Completions never come inside the call that takes them.
  private func refuseLater(_ request: GATTRequest, _ error: BluetoothError) {
    request.finish()
    BridgeQueue.atEndOfTurn { request.fail(error) }
  }

  private func sendNext() {
    guard !isStuck else { return }
    while let request = queue.next() {
      if request.isCommand { commands.append(request) } else { current = request }
      start(request)
    }
  }

  private func start(_ request: GATTRequest) {
    guard let attribute = request.attribute, !attribute.isRemoved else {
      if case .refuse(let error) = request.work { return finishLater(request, .failure(error)) }
      return finishLater(request, .failure(.attribute(0x01)))
    }
    switch request.work {
    case .refuse(let error): return finishLater(request, .failure(error))
    case .notify(let enabled):
      guard willChangeSubscription(of: attribute, to: enabled) else { return finishLater(request, .success([])) }
    case .read: attribute.isBeingRead = attribute.subscription == .on
    case .write, .command: break
    }
    request.started = .now
    armWatchdog()
    send(request, attribute)
  }

  private func send(_ request: GATTRequest, _ attribute: Attribute) {
    request.timer = nil
    let connection: Connection
    if case .notify = request.work {
      do { connection = try sessionConnection() } catch {
        return finishLater(request, .failure(BluetoothError.unknown.saying("\(error)")))
      }
    } else {
      connection = bus
    }
    let message = message(for: request, attribute)
    if request.isCommand, !request.isSentAsRequest {
      unconfirmed += 1
      // While the MTU is not known only bluetoothd can say that a command is too long.
      if unconfirmed < Self.commandsPerReply, queue.isCommandNext, knownMTU != nil { return connection.send(message) }
      unconfirmed = 0
    }
    request.call = connection.call(message) { result in
      self.didReply(to: request, attribute, result)
    }
  }

  private func message(for request: GATTRequest, _ attribute: Attribute) -> Message {
    switch request.work {
    case .read, .refuse: attribute.calls.read()
    case .write(let value): attribute.calls.write(value, .request)
    case .command(let value): attribute.calls.write(value, request.isSentAsRequest ? .request : .command)
    case .notify(let enabled): attribute.calls.setNotify(enabled)
    }
  }

  // MARK: Replies

  private func didReply(to request: GATTRequest, _ attribute: Attribute, _ result: Result<Message, DBusError>) {
    guard !request.isFinished else { return }
    request.call = nil
    switch result {
    case .success(let reply):
      guard case .read = request.work else { return finish(request, .success([])) }
      finish(request, .success(reply.read { $0.bytes() } ?? []))
    case .failure(let error):
      if request.isCommand, !request.isSentAsRequest, error.message == "Failed to initiate write",
        attribute.properties.contains(.write)
      {
        request.isSentAsRequest = true
        return send(request, attribute)
      }
      didFail(request, attribute, error)
    }
  }

  /// The end of a command, mostly bluetoothd's reply, shows that the ones sent before it without asking were taken.
  private func finishUnrepliedCommands(before request: GATTRequest) {
    guard request.isCommand else { return }
    while let oldest = commands.first, oldest !== request, oldest.call == nil, oldest.timer == nil {
      finish(oldest, .success([]))
    }
  }

  private func didFail(_ request: GATTRequest, _ attribute: Attribute, _ error: DBusError) {
    let failure = ErrorMapping.failure(
      error, of: request.operation, isPaired: isPaired, service: attribute.service)
    switch failure {
    case .error(let error): finish(request, .failure(error))
    case .alreadyDone: finish(request, .success([]))
    case .busy: request.timer = QueueTimer(after: timing.busy) { self.send(request, attribute) }
    case .linkMayBeLost(let error): wait(timing.linkLoss, before: error, of: request)
    }
  }

  /// Believes an error only if the link does not end meanwhile.
  func wait(_ time: Duration, before error: BluetoothError, of request: GATTRequest) {
    request.call?.cancel()
    request.call = nil
    request.timer?.cancel()
    request.timer = QueueTimer(after: time) { self.finish(request, .failure(error)) }
  }

  /// Unlike `finish`, outside the call that asked.
  private func finishLater(_ request: GATTRequest, _ result: Result<[UInt8], BluetoothError>) {
    BridgeQueue.atEndOfTurn { self.finish(request, result) }
  }

  /// Completes a request that is out, and sends what waited for it.
  func finish(_ request: GATTRequest, _ result: Result<[UInt8], BluetoothError>) {
    guard !request.isFinished else { return }
    finishUnrepliedCommands(before: request)
    request.finish()
    var mayResume = false
    if request.isCommand {
      commands.removeAll { $0 === request }
      mayResume = queue.commandFinished()
    } else {
      current = nil
      queue.requestFinished()
    }
    if let attribute = request.attribute { willComplete(request, of: attribute, result) }
    switch result {
    case .success(let value): request.complete(value)
    case .failure(let error): request.fail(error)
    }
    if case .notify = request.work, let attribute = request.attribute { deliverHeld(of: attribute) }
    if mayResume { owner?.gattClientIsReadyToWriteWithoutResponse(self) }
    sendNext()
  }

  private func willComplete(
    _ request: GATTRequest, of attribute: Attribute, _ result: Result<[UInt8], BluetoothError>
  ) {
    switch request.work {
    case .read: settleEcho(of: attribute, result)
    case .notify(let enabled): didChangeSubscription(of: attribute, to: enabled, succeeded: (try? result.get()) != nil)
    case .write, .command, .refuse: break
    }
  }

  // MARK: Limits

  var isPaired: Bool { cache.properties(of: devicePath, GATTNames.device)?["Paired"]?.bool ?? false }

  /// An unpaired device may be waiting for a person.
  private var limit: Duration { isPaired ? timing.request : timing.requestWithPairing }

  /// One timer at a time, however many requests come and go under it.
  private func armWatchdog() {
    guard watchdog == nil else { return }
    watchdog = QueueTimer(after: limit) { self.checkLimits() }
  }

  private func checkLimits() {
    watchdog = nil
    guard endError == nil, let oldest = commands.first ?? current else { return }
    let left = oldest.started + limit - .now
    guard left <= .zero else {
      watchdog = QueueTimer(after: left) { self.checkLimits() }
      return
    }
    isStuck = true
    Log.error("gatt", "\(oldest.attribute?.path.text ?? devicePath): no answer for \(limit), the link is stuck")
    // Pairing that failed leaves the request unanswered for ever; otherwise the link's end tells.
    if !isPaired { finish(oldest, .failure(.attribute(0x0F))) }
    owner?.gattClientIsStuck(self)
  }
}
