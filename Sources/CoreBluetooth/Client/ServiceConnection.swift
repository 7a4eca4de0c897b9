package import BridgeIO
package import BridgeProtocol
import Foundation

/// Hears what a service says to one manager.
@BridgeQueue
package protocol ServiceConnectionOwner: AnyObject {
  /// The radio's state as the manager is to show it: told once at first, then at each change.
  ///
  /// - Parameter isLost: the service itself has gone, and all that it held with it.
  func connection(_ connection: ServiceConnection, didUpdateState state: AdapterState, isLost: Bool)

  func connection(_ connection: ServiceConnection, didReceive message: ServerMessage)

  /// What was sent is on its way, after `isCongested` was true.
  func connectionDidDrain(_ connection: ServiceConnection)
}

/// One manager's own connection with the service, made anew whenever it is lost.
///
/// Each manager has its own, so that the service keeps scans, connections and subscriptions of several managers apart
/// exactly as it does with those of several apps.
@BridgeQueue
package final class ServiceConnection {
  package struct Timing: Sendable {
    /// Before the first attempt to connect: apps keep a manager only when its initializer has returned, and count on
    /// having it when their delegate is first called.
    package var first = Duration.milliseconds(10)
    /// How long a provider has to answer the greeting. One that does not is not bridge, and has no features.
    package var greeting = Duration.milliseconds(500)
    /// Between attempts to connect; the last for all that follow.
    package var retries: [Duration] = [.milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1)]
    package init() {}
  }

  private enum Phase {
    case closed
    case connecting
    case greeting
    /// What an earlier run held is awaited, so that it is told before the state.
    case restoring(AdapterState)
    case open
  }

  private weak var owner: (any ServiceConnectionOwner)?
  nonisolated let endpoint: ServiceEndpoint
  private let timing: Timing
  private var hello: Hello
  private var phase = Phase.closed
  private var channel: LineChannel?
  private var timer: QueueTimer?
  private var attempts = 0
  private var pauses = 0
  private var isHeldUp = false
  /// Counts connects: a socket of an earlier one is not taken.
  private var connects = 0
  private var state: AdapterState?

  /// What the provider has granted.
  package private(set) var features: Features = []
  /// Whether the provider is bridge; others keep only ImpossiBLE's promises.
  package private(set) var isBridge = false

  /// - Parameter features: to ask for.
  package nonisolated init(
    to endpoint: ServiceEndpoint, features: Features, restoreIdentifier: String? = nil, timing: Timing = Timing()
  ) {
    self.endpoint = endpoint
    self.timing = timing
    hello = Hello(
      clientVersion: "CoreBluetooth \(ProtocolVersion.current)",
      bundleId: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName,
      pid: Int(ProcessInfo.processInfo.processIdentifier), features: features.names,
      restoreIdentifier: restoreIdentifier)
  }

  // MARK: Opening and closing

  package func open(for owner: any ServiceConnectionOwner) {
    self.owner = owner
    hello.device = endpoint.device
    if endpoint.isCurrent { EndpointFollowers.add(self) }
    guard case .closed = phase else { return }
    phase = .connecting
    timer = QueueTimer(after: timing.first) { [weak self] in self?.connect() }
  }

  /// Ends the connection for good. Nothing is told any more.
  package func close() {
    owner = nil
    phase = .closed
    timer?.cancel()
    channel?.closeAfterFlush()
    channel = nil
  }

  /// Ends the connection as the end of the process would: nothing more is sent, nor told.
  func abandon() {
    owner = nil
    phase = .closed
    timer?.cancel()
    channel?.close()
    channel = nil
  }

  /// Another service is in use now.
  func endpointChanged() {
    guard owner != nil else { return }
    hello.device = endpoint.device
    switch phase {
    case .closed: return
    case .connecting: break
    default:
      channel?.close()
      lost()
    }
    timer?.cancel()
    connect()
  }

  private func connect() {
    phase = .connecting
    connects += 1
    let (endpoint, number) = (endpoint, connects)
    DispatchQueue.global().async { [weak self] in
      let result: Result<CInt, any Error> = Result { try endpoint.connect().take() }
      BridgeQueue.async { [weak self] in
        guard let self, case .connecting = self.phase, self.connects == number else {
          if case .success(let socket) = result { _ = FileDescriptor(owning: socket) }
          return
        }
        switch result {
        case .success(let socket): self.connected(FileDescriptor(owning: socket))
        case .failure(let error): self.failed(error)
        }
      }
    }
  }

  private func failed(_ error: any Error) {
    Log.info("CoreBluetooth", "no service: \(error)")
    report(.poweredOff)
    retry()
  }

  private func retry() {
    guard owner != nil else { return close() }
    let delay = timing.retries[min(attempts, timing.retries.count - 1)]
    attempts += 1
    phase = .connecting
    timer = QueueTimer(after: delay) { [weak self] in self?.connect() }
  }

  private func connected(_ descriptor: consuming FileDescriptor) {
    let channel = LineChannel(descriptor)
    self.channel = channel
    channel.onLine = { [weak self] in self?.receive($0) }
    channel.onEnd = { [weak self] _ in self?.lost() }
    channel.onDrain = { [weak self] in self.map { $0.owner?.connectionDidDrain($0) } }
    phase = .greeting
    channel.send { ClientMessage.hello(hello).appendLine(to: &$0) }
    timer = QueueTimer(after: timing.greeting) { [weak self] in self?.opened(by: nil) }
  }

  private func lost() {
    channel = nil
    pauses = 0
    isHeldUp = false
    timer?.cancel()
    features = []
    isBridge = false
    let wasOpen = isOpen
    phase = .connecting
    report(.resetting, isLost: wasOpen)
    retry()
  }

  // MARK: Receiving

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    let message: ServerMessage
    do throws(MessageDecodingError) { message = try ServerMessage(line: line) } catch {
      return Log.notice("CoreBluetooth", "line of the service ignored: \(error)")
    }
    switch message {
    case .welcome(let welcome): opened(by: welcome)
    case .connectionRejected(let rejection) where rejection.code == ConnectionRejected.clientBusy:
      reject(rejection)
    case .state(let update): stateChanged(update.state)
    default:
      // bridge would have said welcome before anything else.
      if case .greeting = phase { opened(by: nil) }
      let phase = phase
      if case .restoring = phase, case .didRestoreState = message { self.phase = .open }
      owner?.connection(self, didReceive: message)
      if case .restoring(let state) = phase, case .open = self.phase { report(state) }
    }
  }

  private func stateChanged(_ state: AdapterState) {
    switch phase {
    case .restoring: phase = .restoring(state)
    case .open: report(state)
    default: break
    }
  }

  private var isOpen: Bool {
    switch phase {
    case .open, .restoring: true
    default: false
    }
  }

  private func opened(by welcome: Welcome?) {
    timer?.cancel()
    attempts = 0
    isBridge = welcome != nil
    features = welcome?.features ?? []
    // Who does not tell the state has its socket open only while the radio is on.
    let state = features.contains(.state) ? welcome?.state ?? .poweredOn : .poweredOn
    if hello.restoreIdentifier != nil, features.contains(.restore) {
      phase = .restoring(state)
    } else {
      phase = .open
      report(state)
    }
  }

  /// Another client has taken our place; coming back would take its.
  private func reject(_ rejection: ConnectionRejected) {
    Log.error("CoreBluetooth", "the service turns this app away: \(rejection.message)")
    channel?.close()
    channel = nil
    timer?.cancel()
    let wasOpen = isOpen
    phase = .closed
    report(.poweredOff, isLost: wasOpen)
  }

  private func report(_ new: AdapterState, isLost: Bool = false) {
    guard state != new || isLost else { return }
    state = new
    owner?.connection(self, didUpdateState: new, isLost: isLost)
  }

  // MARK: Sending

  /// Sends a message; dropped while there is no service.
  package func send(_ message: ClientMessage) {
    guard isOpen else { return }
    channel?.send { message.appendLine(to: &$0) }
  }

  /// More waits for the service than it takes at once.
  package var isCongested: Bool { channel?.isCongested ?? false }

  /// Reads no more while the app's queue does not keep up: what the service has for it waits there, within the service's
  /// bounds. But not while a thread of the app's may wait for something that comes some other way than by that queue.
  func follow(_ callbacks: CallbackQueue, unless isAwaited: @autoclosure () -> Bool) {
    // A socket that comes begins unpaused.
    guard channel != nil else { return }
    let mustWait = callbacks.isFull && !isAwaited()
    guard mustWait != isHeldUp else { return }
    isHeldUp = mustWait
    if mustWait { pauseReading() } else { resumeReading() }
  }

  /// Reads no more until `resumeReading` was called as often.
  package func pauseReading() {
    pauses += 1
    channel?.pauseReading()
  }

  package func resumeReading() {
    guard pauses > 0 else { return }
    pauses -= 1
    channel?.resumeReading()
  }
}
