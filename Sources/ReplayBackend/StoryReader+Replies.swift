import BridgeProtocol
import Radio

extension StoryReader {
  mutating func readReply(_ message: ServerMessage, _ line: Recording.Line) {
    switch message {
    case .didDiscover(let report): addReport(report, line)
    case .didConnect(let reply): connected(reply.id, line)
    case .didFailConnect(let reply): connectFailed(reply, line)
    case .didDisconnect(let event): disconnected(event, line)
    case .didUpdateName(let event): add(.renamed(event.name), line, of: event.id)
    case .didReadRSSI(let reply):
      settle("rssi", reply.id, line, reply.error.map { .failure($0) } ?? .rssi(reply.rssi))
    case .didDiscoverServices(let reply): discovered(reply, line)
    case .didUpdateValue(let update): updated(update, line)
    case .didWriteValue(let reply):
      settle("write " + reply.characteristicId, reply.id, line, reply.error.map { .failure($0) } ?? .done)
    case .didUpdateDescriptorValue(let reply):
      settle(
        "read " + reply.descriptorId, reply.id, line,
        reply.error.map { .failure($0) } ?? .value(reply.value?.bytes ?? []))
    case .didWriteDescriptorValue(let reply):
      settle("write " + reply.descriptorId, reply.id, line, reply.error.map { .failure($0) } ?? .done)
    case .didUpdateNotification(let reply): notificationSet(reply, line)
    case .didModifyServices(let event): servicesModified(event, line)
    case .didReadyToWriteWithoutResponse(let event): ready(event.id, line)
    case .didUpdateMTU(let event): writeLength(event, line)
    case .connectionEvent(let event): add(.connectionEvent(event.isConnected), line, of: event.id)
    case .didOpenL2CAP(let reply): channelOpened(reply, line)
    case .l2capData(let data): channel(data.channelId)?.receive(data.value, at: line.at)
    case .l2capClosed(let event): channel(event.channelId)?.closeByDevice(at: line.at)
    case .state(let event): addState(event.state, line)
    case .didSetMockConfiguration(let reply) where reply.failure == nil:
      _ = add(.init(line: line.number, at: line.at, operation: .configure, peripheral: nil))
    default: break
    }
  }

  private mutating func settle(
    _ answer: String, _ id: PeripheralIdentifier, _ line: Recording.Line, _ result: RecordedRequest.Result
  ) {
    if let request = withModel(id, { $0.take(answer) }) { self.answer(request, line, result) }
  }

  // MARK: Links

  private mutating func connected(_ id: PeripheralIdentifier, _ line: Recording.Line) {
    guard let request = withModel(id, { $0.connect }) else { return }
    withModel(id) {
      $0.connect = nil
      $0.link = .connected
    }
    answer(request, line, .connected(writeLength: nil))
  }

  private mutating func connectFailed(_ reply: DidFailConnect, _ line: Recording.Line) {
    guard let request = withModel(reply.id, { $0.connect }) else { return }
    withModel(reply.id) { _ = $0.endLink() }
    answer(request, line, .failure(reply.error ?? .connectionFailed))
  }

  private mutating func disconnected(_ event: DidDisconnect, _ line: Recording.Line) {
    let wasAskedFor = withModel(event.id) { model in
      guard model.cancels > 0 else { return false }
      model.cancels -= 1
      return true
    }
    guard !wasAskedFor, withModel(event.id, { $0.link }) != .none else { return }
    withModel(event.id) { _ = $0.endLink() }
    add(.disconnected(event.error), line, of: event.id)
  }

  /// Told together with the connection it is no event: the radio knew it by then.
  private mutating func writeLength(_ event: DidUpdateMTU, _ line: Recording.Line) {
    let latest = story.requests.lastIndex { $0.peripheral == event.id }
    if let latest, let answer = request(latest).answer, case .connected(nil) = answer.result,
      line.at - answer.at < 0.001
    {
      setWriteLength(event.maximumWriteValueLength, ofConnect: latest)
    } else {
      add(.writeLength(event.maximumWriteValueLength), line, of: event.id)
    }
  }

  // MARK: GATT

  private mutating func discovered(_ reply: DidDiscoverServices, _ line: Recording.Line) {
    let request = withModel(reply.id) { $0.take("services") }
    if reply.error == nil { withModel(reply.id) { $0.hasTable = true } }
    if let request { answer(request, line, reply.error.map { .failure($0) } ?? .done) }
  }

  private mutating func servicesModified(_ event: DidModifyServices, _ line: Recording.Line) {
    let table = table(of: event.id)
    let removed = event.serviceIds.compactMap { table?.attribute($0) }
    add(.servicesModified(removed), line, of: event.id)
    withModel(event.id) {
      $0.tableNumber += 1
      $0.hasTable = false
    }
  }

  /// A read's answer and a notification look alike: where both may be, the first is taken for the answer, which makes no
  /// difference to the client.
  private mutating func updated(_ update: DidUpdateValue, _ line: Recording.Line) {
    let answer = "read " + update.characteristicId
    let attribute = table(of: update.id)?.attribute(update.characteristicId)
    let isNotifying = withModel(update.id) { model in attribute.map { model.notifying.contains(ObjectIdentifier($0)) } }
    if withModel(update.id, { $0.isPending(answer) }) {
      guard let request = withModel(update.id, { $0.take(answer) }) else { return }
      self.answer(request, line, update.error.map { .failure($0) } ?? .value(update.value))
      withModel(update.id) {
        $0.doubtfulReads[answer] = isNotifying == true && update.error == nil ? request : nil
      }
    } else if let error = update.error {
      // Only a read can fail.
      guard let request = withModel(update.id, { $0.doubtfulReads.removeValue(forKey: answer) }) else { return }
      takeBackAnswer(request, of: update.id)
      self.answer(request, line, .failure(error))
    } else if let attribute {
      add(.notified(update.value, attribute), line, of: update.id)
    }
  }

  private mutating func notificationSet(_ reply: DidUpdateNotification, _ line: Recording.Line) {
    if reply.error == nil, let attribute = table(of: reply.id)?.attribute(reply.characteristicId) {
      let key = ObjectIdentifier(attribute)
      withModel(reply.id) { model in
        if reply.enabled { model.notifying.insert(key) } else { model.notifying.remove(key) }
      }
    }
    settle("notify " + reply.characteristicId, reply.id, line, reply.error.map { .failure($0) } ?? .done)
  }

  private mutating func ready(_ id: PeripheralIdentifier, _ line: Recording.Line) {
    guard let write = withModel(id, { $0.lastWriteWithoutResponse }) else { return }
    setWait(max(0, line.at - request(write).at), ofWrite: write)
  }

  // MARK: Channels

  private mutating func channelOpened(_ reply: DidOpenL2CAP, _ line: Recording.Line) {
    let opening = withModel(reply.id) { model -> (psm: UInt16, request: Int?)? in
      // A refusal names no PSM.
      let index = model.openings.firstIndex { reply.psm == 0 || Int($0.psm) == reply.psm }
      return index.map { model.openings.remove(at: $0) }
    }
    guard let request = opening?.request else { return }
    if let error = reply.error {
      // With its PSM: the service gave up, or the link went; the radio had not answered.
      return reply.psm == 0 ? answer(request, line, .failure(error)) : withdraw([request])
    }
    let channel = RecordedChannel(psm: UInt16(clamping: reply.psm), line: line.number, at: line.at)
    open(channel, reply.channelId)
    answer(request, line, .channel(channel))
  }
}
