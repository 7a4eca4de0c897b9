import BridgeIO
import BridgeProtocol
import Radio

/// One peripheral of the recording: its link, and what is due to be answered and reported.
@BridgeQueue
final class ReplayPeripheral {
  enum Link {
    case none
    case connecting
    case connected
  }

  private enum Step {
    case answer(PendingAnswer)
    case event(Int)
    case ready
  }

  let id: PeripheralIdentifier
  private unowned let radio: ReplayRadio
  private let story: Story.Peripheral
  private(set) var link = Link.none
  private(set) var name: String?
  private(set) var writeLength = 20
  private var tableNumber = 0
  private var pending: [PendingAnswer] = []
  private var channels: [ReplayChannel] = []
  private lazy var agenda = Agenda<Step> { [unowned self] in perform($0) }
  /// The first event not yet on the agenda.
  private var nextEvent = 0
  private var latestDue = ContinuousClock.now
  private var isWaitingForRoom = false
  private var waited: Set<Int> = []

  init(_ id: PeripheralIdentifier, _ story: Story.Peripheral, radio: ReplayRadio) {
    self.id = id
    self.story = story
    self.radio = radio
    name = story.name
  }

  var table: RecordedTable { story.tables[min(tableNumber, story.tables.count - 1)] }

  private var script: Script { radio.script }

  // MARK: Requests

  func connect() {
    link = .connecting
    guard let index = script.take(.connect, id) else {
      return wait(.failure(script.differ(.connect, id)), 0, .now) { [self] in finishConnecting($0) }
    }
    skip(to: script.story.requests[index].line)
    matched(index) { [self] in finishConnecting($0) }
  }

  private func finishConnecting(_ result: Result<RecordedRequest.Result, BluetoothError>) {
    guard link == .connecting else { return }
    switch result {
    case .success(let answer):
      link = .connected
      if case .connected(let length?) = answer { writeLength = length }
      radio.observer?.radio(radio, didConnect: id)
    case .failure(let error):
      link = .none
      radio.observer?.radio(radio, didFailToConnect: id, error: error)
    }
  }

  func disconnect() {
    let index = script.take(.disconnect, id)
    // What was under way is not part of what follows.
    skip(to: index.map { script.story.requests[$0].line } ?? 0)
    _ = agenda.remove { _, step in if case .event = step { true } else { false } }
    let failed = endLink()
    if let index { radio.matched(index, .now) }
    BridgeQueue.async { [self, radio] in
      for answer in failed { answer.complete(.failure(.operationCancelled)) }
      radio.observer?.radio(radio, didDisconnect: id, error: nil)
    }
  }

  /// The radio has gone, and says nothing of the link.
  func radioLost() {
    _ = agenda.remove { _, step in if case .event = step { true } else { false } }
    for answer in endLink() { answer.complete(.failure(.peripheralDisconnected)) }
  }

  /// - Parameter handle: of what the request is about, if it is about an attribute.
  func request(
    _ operation: RecordedRequest.Operation, _ handle: AttributeHandle?, value: [UInt8]? = nil,
    _ completion: @escaping PendingAnswer.Completion
  ) {
    guard link == .connected else { return wait(.failure(.notConnected), 0, .now, completion) }
    var attribute: RecordedAttribute?
    if let handle {
      attribute = table.attribute(handle)
      if attribute == nil { return wait(.failure(.attribute(0x01)), 0, .now, completion) }
    }
    if let value, value.count > ProtocolLimits.maximumValueLength {
      return wait(.failure(.attribute(0x0D)), 0, .now, completion)
    }
    if let index = script.take(operation, id, attribute, value: value) { return matched(index, completion) }
    wait(inventedAnswer(operation, attribute, value ?? []), 0, .now, completion)
  }

  /// Why what is inside an attribute cannot be told; nil if it can.
  func refusal(of step: DiscoveryStep) -> BluetoothError? {
    let discovery: RecordedDiscovery =
      switch step {
      case .includedServices: .includedServices
      case .characteristics: .characteristics
      case .descriptors: .descriptors
      }
    guard let attribute = table.attribute(step.attribute) else { return nil }
    if let known = attribute.discoveries[discovery] { return known }
    return script.differ(asked: "a discovery of \(discovery.rawValue) of \(attribute.uuid.text)")
  }

  /// To what the recording does not have. The service asks some things by itself, which no client wanted: these succeed.
  private func inventedAnswer(
    _ operation: RecordedRequest.Operation, _ attribute: RecordedAttribute?, _ value: [UInt8]
  ) -> Result<RecordedRequest.Result, BluetoothError> {
    switch operation {
    case .setNotify(false): .success(.done)
    case .discoverServices where !table.isEmpty: .success(.done)
    default: .failure(script.differ(operation, id, attribute, value: value))
    }
  }

  /// Answers as recorded, after the time that it took then, and lets what followed follow.
  private func matched(_ index: Int, _ completion: @escaping PendingAnswer.Completion) {
    let request = script.story.requests[index]
    let now = ContinuousClock.now
    if let answer = request.answer {
      let result: Result<RecordedRequest.Result, BluetoothError> =
        if case .failure(let error) = answer.result { .failure(error) } else { .success(answer.result) }
      wait(result, answer.line, radio.pace.time(answer.at - request.at, after: now), completion)
    } else if request.operation == .writeWithoutResponse {
      wait(.success(.done), request.line, now, completion)
    } else if request.isWithdrawn || request.operation == .connect {
      // The recorded client never got an answer either.
      pending.append(PendingAnswer(.success(.done), completion))
    } else {
      let error = BluetoothError.unknown.saying(
        "the recording ends before the answer to \(Script.text(request.operation, request.attribute, request.value))"
          + " in line \(request.line)")
      wait(.failure(error), request.line, now, completion)
    }
    radio.matched(index, now)
    release(upTo: index, now)
  }

  private func wait(
    _ result: Result<RecordedRequest.Result, BluetoothError>, _ line: Int, _ due: ContinuousClock.Instant,
    _ completion: @escaping PendingAnswer.Completion
  ) {
    let answer = PendingAnswer(result, completion)
    pending.append(answer)
    agenda.add(.answer(answer), line: line, due: due)
  }

  // MARK: Writes without response

  /// Where the recorded client had to wait for room, this one has to as well.
  var canSend: Bool {
    if isWaitingForRoom { return false }
    guard let next = script.peek(.writeWithoutResponse, id), let seconds = script.story.requests[next].waitedForRoom,
      waited.insert(next).inserted
    else { return true }
    isWaitingForRoom = true
    agenda.add(.ready, line: script.story.requests[next].line, due: radio.pace.time(seconds, after: .now))
    return false
  }

  // MARK: Channels

  func add(_ recorded: RecordedChannel) -> ReplayChannel {
    let channel = ReplayChannel(recorded, script: script, pace: radio.pace)
    channels.append(channel)
    return channel
  }

  // MARK: Events

  /// What followed a request, in the recorded order and at the recorded times after it. What had followed earlier requests
  /// that the client left out comes at once.
  private func release(upTo request: Int, _ now: ContinuousClock.Instant) {
    while nextEvent < story.events.count, story.events[nextEvent].anchor <= request {
      let event = story.events[nextEvent]
      let delay = event.anchor == request ? event.delay : 0
      latestDue = max(latestDue, radio.pace.time(delay, after: now))
      agenda.add(.event(nextEvent), line: event.line, due: latestDue)
      nextEvent += 1
    }
  }

  /// Leaves out what the recording has before that line, but for what it changed.
  private func skip(to line: Int) {
    for step in agenda.remove(where: { at, step in if case .event = step { at < line } else { false } }) {
      if case .event(let index) = step { applySilently(story.events[index]) }
    }
    while nextEvent < story.events.count, story.events[nextEvent].line < line {
      applySilently(story.events[nextEvent])
      nextEvent += 1
    }
    latestDue = .now
  }

  private func applySilently(_ event: RecordedEvent) {
    switch event.content {
    case .renamed(let name): self.name = name
    case .servicesModified: tableNumber += 1
    default: break
    }
  }

  private func perform(_ step: Step) {
    switch step {
    case .answer(let answer):
      pending.removeAll { $0 === answer }
      answer.complete()
    case .ready:
      isWaitingForRoom = false
      radio.observer?.radio(radio, isReadyToWriteWithoutResponse: id)
    case .event(let index): report(story.events[index].content)
    }
  }

  private func report(_ event: RecordedEvent.Content) {
    let observer = radio.observer
    switch event {
    case .notified(let value, let attribute):
      guard link == .connected else { return }
      observer?.radio(radio, didNotify: value, characteristic: attribute.handle, of: id)
    case .disconnected(let error):
      guard link != .none else { return }
      for answer in endLink() { answer.complete(.failure(.peripheralDisconnected)) }
      observer?.radio(radio, didDisconnect: id, error: error ?? .peripheralDisconnected)
    case .renamed(let name):
      self.name = name
      observer?.radio(radio, didUpdateName: name, of: id)
    case .servicesModified(let removed):
      tableNumber += 1
      observer?.radio(radio, didModifyServices: removed.map(\.handle), of: id)
    case .writeLength(let length):
      writeLength = length
      observer?.radio(radio, didUpdateMaximumWriteLengthOf: id)
    case .connectionEvent(let isConnected): observer?.radio(radio, connectionEvent: isConnected, for: id)
    case .advertised, .state: break
    }
  }

  /// - Returns: what waits for an answer and has to fail.
  private func endLink() -> [PendingAnswer] {
    // A connect under way ends with the event that follows.
    let failed = link == .connecting ? [] : pending
    link = .none
    pending = []
    isWaitingForRoom = false
    writeLength = 20
    _ = agenda.remove { _, step in if case .event = step { false } else { true } }
    let closed = channels
    channels = []
    for channel in closed { channel.endOfLink() }
    return failed
  }
}
