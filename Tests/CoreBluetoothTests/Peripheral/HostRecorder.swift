import BridgeIO
import CoreBluetooth
import Testing

/// What a peripheral manager's delegate was told, and what the objects showed at that moment.
///
/// `@unchecked Sendable` is sound: its objects are safe from any thread.
struct HostEvent: @unchecked Sendable {
  enum Name: String {
    case didUpdateState, willRestoreState, didStartAdvertising, didAdd, didSubscribe, didUnsubscribe, didReceiveRead
    case didReceiveWrite, isReady, didPublishChannel, didUnpublishChannel, didOpenChannel
  }

  var name: Name
  var error: (any Error)?
  var service: CBService?
  var characteristic: CBCharacteristic?
  var central: CBCentral?
  var requests: [CBATTRequest] = []
  var psm: CBL2CAPPSM = 0
  var channel: CBL2CAPChannel?
  var dictionary: [String: Any] = [:]
  // As shown while the delegate was called.
  var state = CBManagerState.unknown
  var isAdvertising = false
  var subscribers: [CBCentral] = []
  var isOnQueue = false

  var code: Int? { (error as NSError?)?.code }
}

struct NothingHappened: Error {}

/// A delegate that keeps what it is told.
///
/// `@unchecked Sendable` is sound: what changes is behind a lock.
final class HostRecorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let queueKey = DispatchSpecificKey<Bool>()

  private let lock = NSLock()
  private var events: [HostEvent] = []
  private var waiter: CheckedContinuation<Void, Never>?
  private var reaction: ((CBPeripheralManager, HostEvent) -> Void)?

  /// Done with each event, on the queue of the delegate.
  func onEvent(_ reaction: @escaping (CBPeripheralManager, HostEvent) -> Void) {
    lock.withLock { self.reaction = reaction }
  }

  private func note(_ manager: CBPeripheralManager, _ event: HostEvent) {
    var event = event
    event.state = manager.state
    event.isAdvertising = manager.isAdvertising
    event.subscribers = (event.characteristic as? CBMutableCharacteristic)?.subscribedCentrals ?? []
    event.isOnQueue = DispatchQueue.getSpecific(key: Self.queueKey) == true
    let (reaction, waiter) = lock.withLock {
      events.append(event)
      defer { self.waiter = nil }
      return (self.reaction, self.waiter)
    }
    reaction?(manager, event)
    waiter?.resume()
  }

  /// The next event, whichever it is.
  func next() async throws -> HostEvent {
    let limit = Task { [weak self] in
      try await Task.sleep(for: .seconds(30))
      self?.lock.withLock { self?.waiter.take() }?.resume()
    }
    defer { limit.cancel() }
    while true {
      if let event = lock.withLock({ events.isEmpty ? nil : events.removeFirst() }) { return event }
      if limit.isCancelled { throw NothingHappened() }
      await withCheckedContinuation { continuation in
        let isThere = lock.withLock {
          if events.isEmpty { waiter = continuation }
          return !events.isEmpty
        }
        if isThere { continuation.resume() }
      }
    }
  }

  /// The next event of that name, others passed over.
  func next(_ name: HostEvent.Name) async throws -> HostEvent {
    while true {
      let event = try await next()
      if event.name == name { return event }
    }
  }

  // MARK: Delegate

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    note(peripheral, HostEvent(name: .didUpdateState))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    note(peripheral, HostEvent(name: .willRestoreState, dictionary: dict))
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    note(peripheral, HostEvent(name: .didStartAdvertising, error: error))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    note(peripheral, HostEvent(name: .didAdd, error: error, service: service))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    note(peripheral, HostEvent(name: .didSubscribe, characteristic: characteristic, central: central))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    note(peripheral, HostEvent(name: .didUnsubscribe, characteristic: characteristic, central: central))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    note(
      peripheral,
      HostEvent(
        name: .didReceiveRead, characteristic: request.characteristic, central: request.central, requests: [request]))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    note(
      peripheral,
      HostEvent(
        name: .didReceiveWrite, characteristic: requests.first?.characteristic, central: requests.first?.central,
        requests: requests))
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    note(peripheral, HostEvent(name: .isReady))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel psm: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, HostEvent(name: .didPublishChannel, error: error, psm: psm)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel psm: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, HostEvent(name: .didUnpublishChannel, error: error, psm: psm)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) { note(peripheral, HostEvent(name: .didOpenChannel, error: error, channel: channel)) }
}
