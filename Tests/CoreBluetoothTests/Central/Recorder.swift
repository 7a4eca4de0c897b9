import CoreBluetooth
import Testing

/// What a delegate was told, and what the objects showed at that moment.
///
/// `@unchecked Sendable` is sound: its objects are safe from any thread.
struct Event: @unchecked Sendable {
  enum Name: String {
    case didUpdateState, willRestoreState, didDiscover, didConnect, didFailToConnect, didDisconnect
    case didDisconnectWithTimestamp, connectionEvent, didUpdateANCSAuthorization
    case didUpdateName, didModifyServices, didReadRSSI, didDiscoverServices, didDiscoverIncludedServices
    case didDiscoverCharacteristics, didDiscoverDescriptors, didUpdateValue, didUpdateDescriptorValue, didWriteValue
    case didWriteDescriptorValue, didUpdateNotificationState, isReadyToWrite, didOpenChannel
  }

  var name: Name
  var peripheral: CBPeripheral?
  var service: CBService?
  var characteristic: CBCharacteristic?
  var descriptor: CBDescriptor?
  var services: [CBService] = []
  var channel: CBL2CAPChannel?
  var error: (any Error)?
  var dictionary: [String: Any] = [:]
  var number: NSNumber?
  var isReconnecting = false
  var timestamp: Double?
  var connectionEvent: CBConnectionEvent?

  // As shown while the delegate was called.
  var managerState: CBManagerState?
  var isScanning: Bool?
  var peripheralState: CBPeripheralState?
  var value: Data?
  var isNotifying: Bool?
  var isOnQueue = false
}

/// What delegates of every kind have in common: all methods but those that tell of a disconnect.
///
/// The conformance is the subclasses' own: a method that a subclass adds to its superclass's would not be called.
class Recorder: NSObject, @unchecked Sendable {
  static let queueKey = DispatchSpecificKey<Bool>()

  private let lock = NSLock()
  private var events: [Event] = []
  private var waiter: (Int, CheckedContinuation<Void, Never>)?
  private var waits = 0
  /// Told of each event, on the queue of the delegate.
  private var reaction: ((Event) -> Void)?

  func onEvent(_ reaction: @escaping (Event) -> Void) { lock.withLock { self.reaction = reaction } }

  func note(_ event: Event) {
    var event = event
    event.peripheralState = event.peripheral?.state
    event.value = event.characteristic?.value
    event.isNotifying = event.characteristic?.isNotifying
    event.isOnQueue = DispatchQueue.getSpecific(key: Self.queueKey) == true
    let (reaction, waiter) = lock.withLock {
      events.append(event)
      defer { self.waiter = nil }
      return (self.reaction, self.waiter)
    }
    reaction?(event)
    waiter?.1.resume()
  }

  /// The next event, whichever it is.
  func next(within limit: Duration = .seconds(30)) async throws -> Event {
    let limit = DispatchTime.now() + Double(limit.components.seconds)
    while true {
      let (event, number) = lock.withLock {
        waits += 1
        return (events.isEmpty ? nil : events.removeFirst(), waits)
      }
      if let event { return event }
      if DispatchTime.now() >= limit { throw NothingCame() }
      DispatchQueue.global().asyncAfter(deadline: limit) { [weak self] in self?.giveUp(number) }
      await withCheckedContinuation { continuation in
        let isThere = lock.withLock {
          if events.isEmpty { waiter = (number, continuation) }
          return !events.isEmpty
        }
        if isThere { continuation.resume() }
      }
    }
  }

  /// The next event, which must be of that name.
  func next(_ name: Event.Name, _ location: SourceLocation = #_sourceLocation) async throws -> Event {
    let event = try await next()
    try #require(event.name == name, "\(event.name) came", sourceLocation: location)
    return event
  }

  private func giveUp(_ number: Int) {
    let late = lock.withLock {
      guard waiter?.0 == number else { return nil as CheckedContinuation<Void, Never>? }
      defer { waiter = nil }
      return waiter?.1
    }
    late?.resume()
  }

  /// What came and was not asked for.
  var pending: [Event.Name] { lock.withLock { events.map(\.name) } }

  struct NothingCame: Error {}

  // MARK: Central manager

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note(Event(name: .didUpdateState, managerState: central.state, isScanning: central.isScanning))
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    note(Event(name: .willRestoreState, dictionary: dict, managerState: central.state))
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) { note(Event(name: .didDiscover, peripheral: peripheral, dictionary: advertisementData, number: rssi)) }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note(Event(name: .didConnect, peripheral: peripheral))
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note(Event(name: .didFailToConnect, peripheral: peripheral, error: error))
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { note(Event(name: .connectionEvent, peripheral: peripheral, connectionEvent: event)) }

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    note(Event(name: .didUpdateANCSAuthorization, peripheral: peripheral))
  }

  // MARK: Peripheral

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note(Event(name: .didUpdateName, peripheral: peripheral)) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note(Event(name: .didModifyServices, peripheral: peripheral, services: invalidatedServices))
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
    note(Event(name: .didReadRSSI, peripheral: peripheral, error: error, number: rssi))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note(Event(name: .didDiscoverServices, peripheral: peripheral, services: peripheral.services ?? [], error: error))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    note(Event(name: .didDiscoverIncludedServices, peripheral: peripheral, service: service, error: error))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    note(Event(name: .didDiscoverCharacteristics, peripheral: peripheral, service: service, error: error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note(Event(name: .didDiscoverDescriptors, peripheral: peripheral, characteristic: characteristic, error: error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(Event(name: .didUpdateValue, peripheral: peripheral, characteristic: characteristic, error: error)) }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(Event(name: .didUpdateDescriptorValue, peripheral: peripheral, descriptor: descriptor, error: error))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note(Event(name: .didWriteValue, peripheral: peripheral, characteristic: characteristic, error: error))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(Event(name: .didWriteDescriptorValue, peripheral: peripheral, descriptor: descriptor, error: error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note(
      Event(name: .didUpdateNotificationState, peripheral: peripheral, characteristic: characteristic, error: error))
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    note(Event(name: .isReadyToWrite, peripheral: peripheral))
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note(Event(name: .didOpenChannel, peripheral: peripheral, channel: channel, error: error))
  }
}

typealias RecordingDelegate = Recorder & CBCentralManagerDelegate & CBPeripheralDelegate

/// Has the older disconnect method alone, as most apps do.
final class OlderRecorder: Recorder, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note(Event(name: .didDisconnect, peripheral: peripheral, error: error)) }
}

/// Has the newer disconnect method alone.
final class NewerRecorder: Recorder, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    note(
      Event(
        name: .didDisconnectWithTimestamp, peripheral: peripheral, error: error, isReconnecting: isReconnecting,
        timestamp: timestamp))
  }
}

/// Has both.
final class BothRecorder: Recorder, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note(Event(name: .didDisconnect, peripheral: peripheral, error: error)) }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { note(Event(name: .didDisconnectWithTimestamp, peripheral: peripheral, error: error)) }
}
