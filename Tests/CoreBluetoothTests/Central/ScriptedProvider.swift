import BridgeIO
import BridgeProtocol
import CoreBluetooth
import Testing

/// The other end of a manager's socket: a test reads what the manager asks and says what the provider answers.
@BridgeQueue
final class ScriptedProvider {
  /// Granted; nil for a provider that knows of none and never says welcome.
  nonisolated let features: Features?
  var state = AdapterState.poweredOn
  private(set) var hello: Hello?
  private var channel: LineChannel?
  private var received: [ClientMessage] = []
  private var waiter: CheckedContinuation<Void, Never>?
  private nonisolated let isListening = Lock(true)
  private var afterWelcome: (@BridgeQueue () -> Void)?
  private(set) var connections = 0
  /// Serves one client, the last, as ImpossiBLE's do.
  var servesOneClient = false

  nonisolated init(features: Features? = .all) { self.features = features }

  nonisolated var endpoint: ServiceEndpoint {
    ServiceEndpoint { [self] in
      guard isListening.withLock({ $0 }) else { throw SystemError(call: "connect", errno: 111) }
      let (ours, theirs) = try UnixSocket.pair().take()
      BridgeQueue.async { [self] in accept(FileDescriptor(owning: ours)) }
      return FileDescriptor(owning: theirs)
    }
  }

  private func accept(_ descriptor: consuming FileDescriptor) {
    connections += 1
    if servesOneClient { supersede() }
    let channel = LineChannel(descriptor)
    self.channel = channel
    channel.onLine = { [weak self] line in
      guard let self else { return }
      guard let message = try? ClientMessage(line: line) else {
        Issue.record("no message")
        return
      }
      if case .hello(let hello) = message { self.greet(hello) } else { self.received.append(message) }
      self.wake()
    }
    channel.onEnd = { [weak self, weak channel] _ in
      guard let self, self.channel === channel else { return }
      self.channel = nil
      wake()
    }
  }

  private func supersede() {
    send(.connectionRejected(ConnectionRejected(supersededBy: nil, processName: nil)))
    channel?.closeAfterFlush()
  }

  /// What to do after the welcome.
  func onHello(_ action: @escaping @BridgeQueue () -> Void) { afterWelcome = action }

  private func greet(_ hello: Hello) {
    self.hello = hello
    guard let features else { return }
    send(
      .welcome(
        Welcome(
          serverVersion: "1.0.0", features: features.intersection(hello.requestedFeatures ?? []),
          mode: "mock", state: state)))
    afterWelcome?()
  }

  isolated deinit { channel?.close() }

  // MARK: Speaking

  func send(_ message: ServerMessage) { channel?.send { message.appendLine(to: &$0, for: .all) } }

  func send(_ messages: [ServerMessage]) { for message in messages { send(message) } }

  /// The service goes, and stays away if it does not listen.
  func hangUp(listening: Bool = true) {
    isListening.withLock { $0 = listening }
    channel?.close()
    channel = nil
    received = []
  }

  func listen() { isListening.withLock { $0 = true } }

  var isConnected: Bool { channel != nil }

  /// Messages that no test has asked for.
  var pendingCount: Int { received.count }

  // MARK: Listening

  /// The next message, hello apart; nil if none comes in time.
  func next(within limit: Duration = .seconds(30)) async -> ClientMessage? {
    await wait(limit) { !received.isEmpty }
    return received.isEmpty ? nil : received.removeFirst()
  }

  /// The next message of that type, others passed over.
  func next(_ type: String) async -> ClientMessage? {
    while let message = await next() { if message.type == type { return message } }
    return nil
  }

  /// What was asked, up to and without a message of that type.
  func messages(before type: String) async -> [ClientMessage] {
    var messages: [ClientMessage] = []
    while let message = await next(), message.type != type { messages.append(message) }
    return messages
  }

  /// Whether the manager closes in time.
  func isLeft(within limit: Duration = .seconds(30)) async -> Bool {
    await wait(limit) { channel == nil }
    return channel == nil
  }

  private func wait(_ limit: Duration, until isDone: () -> Bool) async {
    let timer = QueueTimer(after: limit) { [weak self] in self?.wake() }
    while !isDone(), timer.isPending {
      await withCheckedContinuation { continuation in
        if isDone() || !timer.isPending { continuation.resume() } else { waiter = continuation }
      }
    }
    timer.cancel()
  }

  private func wake() {
    let waiter = waiter
    self.waiter = nil
    waiter?.resume()
  }
}
