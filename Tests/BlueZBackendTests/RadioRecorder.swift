import BridgeIO
import BridgeProtocol
import Radio

/// Hears a radio and lets tests wait for what it says.
@BridgeQueue
final class RadioRecorder: RadioObserver {
  enum Event: Equatable {
    case state(AdapterState)
    case advertisement(PeripheralIdentifier)
    case connected(PeripheralIdentifier)
    case failed(PeripheralIdentifier, BluetoothError)
    case disconnected(PeripheralIdentifier, BluetoothError?)
    case link(Bool, PeripheralIdentifier)
    case services(PeripheralIdentifier)
    case name(String)
    case other
  }

  /// Not yet taken by `next`.
  private var events: [Event] = []
  var onDisconnect: (@BridgeQueue () -> Void)?
  var onState: (@BridgeQueue () -> Void)?
  private(set) var advertisements: [Advertisement] = []
  private var waiter: (matches: (Event) -> Bool, continuation: CheckedContinuation<Event, Never>)?

  /// The next event that matches, past or future; those before it are passed over.
  func next(where matches: @escaping (Event) -> Bool) async -> Event {
    await withCheckedContinuation { continuation in
      // Looked up here and not before: other work runs between the two.
      while !events.isEmpty {
        let event = events.removeFirst()
        if matches(event) { return continuation.resume(returning: event) }
      }
      waiter = (matches, continuation)
    }
  }

  func state(_ state: AdapterState) async { _ = await next { $0 == .state(state) } }

  /// The next advertisement, with all it says.
  func advertisement() async -> Advertisement {
    _ = await next { if case .advertisement = $0 { true } else { false } }
    return advertisements.removeFirst()
  }

  /// The next news of a link that applications hear.
  func linkNews() async -> Event {
    await next {
      switch $0 {
      case .connected, .failed, .disconnected: true
      default: false
      }
    }
  }

  private func record(_ event: Event) {
    if let waiter, waiter.matches(event) {
      self.waiter = nil
      waiter.continuation.resume(returning: event)
    } else if waiter == nil {
      events.append(event)
    }
  }

  func radioDidUpdateState(_ radio: any Radio) {
    onState?()
    record(.state(radio.state))
  }
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {
    advertisements.append(advertisement)
    record(.advertisement(advertisement.peripheral))
  }
  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) { record(.connected(peripheral)) }
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    record(.failed(peripheral, error))
  }
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    record(.disconnected(peripheral, error))
    onDisconnect?()
  }
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {
    record(.link(isConnected, peripheral))
  }
  func radio(_ radio: any Radio, didLearnServicesOf peripheral: PeripheralIdentifier) { record(.services(peripheral)) }
  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {
    record(.name(name))
  }
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier) {
    record(.other)
  }
  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) { record(.other) }
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) { record(.other) }
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {}
}
