package import BridgeIO
package import BridgeProtocol
import Foundation

/// What one peripheral manager hosts at the service. What it learns goes to the manager by its callback queue.
@BridgeQueue
package final class PeripheralSession: ServiceConnectionOwner {
  package let connection: ServiceConnection
  private nonisolated let restoreIdentifier: String?
  private var manager: WeakReference<CBPeripheralManager>?
  private var callbacks: CallbackQueue?
  private var isClosed = false
  private var serviceState = AdapterState.unknown
  /// What the service says of being a peripheral; nil before it has.
  private var hostingState: AdapterState?
  private var toldState: AdapterState?
  /// Whether the manager has what it hosts from the app: restoring comes before.
  private var isSettled = false
  private let channels: ServiceChannels
  private var isSettling = false

  nonisolated init(
    endpoint: ServiceEndpoint, options: [String: Any]?, timing: ServiceConnection.Timing = ServiceConnection.Timing()
  ) {
    restoreIdentifier = options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String
    connection = ServiceConnection(to: endpoint, features: [.state, .errors, .peripheral], timing: timing)
    channels = ServiceChannels(connection, pausedWith: .peripheral)
  }

  /// Begins to serve a manager.
  nonisolated func start(_ manager: CBPeripheralManager) {
    let (callbacks, manager) = (manager.callbacks, WeakReference(manager))
    BridgeQueue.async { [self] in
      guard !isClosed else { return }
      self.manager = manager
      self.callbacks = callbacks
      callbacks.onRelief { [weak self] in BridgeQueue.async { self?.keepPace() } }
      channels.onSend = { [weak self] in self?.settleLater() }
      connection.open(for: self)
    }
  }

  /// The manager is no more.
  func close() {
    isClosed = true
    // The service would keep it for an app that comes back.
    if restoreIdentifier != nil, hostingState == .poweredOn {
      send(.stopAdvertising(StopAdvertising()))
      send(.unpublishService(UnpublishService()))
    }
    channels.closeAll(.operationCancelled)
    connection.close()
  }

  /// The app is no more, as far as the service can tell.
  func abandon() {
    isClosed = true
    channels.closeAll(.operationCancelled)
    connection.abandon()
  }

  /// Runs `body` on the manager's queue, if the manager is still there.
  func tell(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    guard let manager else { return }
    callbacks?.add { if let manager = manager.object { body(manager) } }
  }

  func send(_ request: PeripheralRequest) { connection.send(.peripheral(request)) }

  // MARK: The service

  package func connection(_ connection: ServiceConnection, didUpdateState state: AdapterState, isLost: Bool) {
    serviceState = state
    if isLost {
      hostingState = nil
      channels.closeAll(.serviceLost)
    }
    if state == .poweredOn, hostingState == nil {
      guard connection.features.contains(.peripheral) else { return report(.unsupported) }
      return send(.hostPeripheral(HostPeripheral(restoreIdentifier: restoreIdentifier)))
    }
    reportState()
  }

  private func reportState() {
    guard serviceState == .poweredOn else { return report(serviceState) }
    if let hostingState { report(hostingState) }
  }

  private func report(_ state: AdapterState) {
    guard toldState != state else { return }
    toldState = state
    if state == .poweredOn { isSettled = true }
    if state.rawValue < AdapterState.poweredOff.rawValue { channels.closeAll(.peripheralDisconnected) }
    tell { $0.didUpdateState(state) }
  }

  package func connection(_ connection: ServiceConnection, didReceive message: ServerMessage) {
    handle(message)
    keepPace()
  }

  /// Takes from the service what the app's queue can take.
  private func keepPace() {
    if let callbacks { connection.follow(callbacks, unless: !channels.isEmpty) }
  }

  private func handle(_ message: ServerMessage) {
    switch message {
    case .peripheral(.hostingState(let event)):
      hostingState = event.state
      reportState()
    case .peripheral(.didRestorePeripheral(let restored)): restore(restored)
    case .peripheral(.didAcceptL2CAP(let accepted)): accept(accepted)
    case .peripheral(let event): tell { $0.didReceive(event) }
    case .l2capData(let data): channels.received(data)
    case .l2capClosed(let event): channels.closed(event)
    default: break
    }
  }

  /// Once, before the radio is first told to be on: later the app knows itself what it has.
  private func restore(_ restored: DidRestorePeripheral) {
    guard !isSettled else {
      send(.stopAdvertising(StopAdvertising()))
      return send(.unpublishService(UnpublishService()))
    }
    isSettled = true
    tell { $0.willRestore(restored) }
  }

  // MARK: Channels

  private func accept(_ accepted: DidAcceptL2CAP) {
    let pipe = channels.open(accepted.channelId)
    tell { $0.didOpen(pipe, accepted) }
  }

  private func settleLater() {
    if !isSettling { BridgeQueue.atEndOfTurn { self.settle() } }
    isSettling = true
  }

  private func settle() {
    isSettling = false
    if !connection.isCongested { channels.settle() }
  }

  package func connectionDidDrain(_ connection: ServiceConnection) { settle() }
}
