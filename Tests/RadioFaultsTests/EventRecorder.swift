import BridgeIO
import BridgeProtocol
import Radio

/// Writes down what a radio reports, and the answers that tests put beside it.
@BridgeQueue
final class EventRecorder: RadioObserver {
  private(set) var events: [String] = []

  func note(_ event: String) { events.append(event) }

  func take() -> [String] {
    defer { events = [] }
    return events
  }

  /// A completion that notes its result.
  func noting<Value>(_ name: String) -> RadioCompletion<Value> {
    { [self] result in
      switch result {
      case .success: note("\(name) done")
      case .failure(let error): note("\(name) \(error.domain == .attribute ? "ATT" : "CB") \(error.code)")
      }
    }
  }

  private func code(_ error: BluetoothError?) -> String { error.map { " \($0.code)" } ?? "" }

  func radioDidUpdateState(_ radio: any Radio) { note("state \(radio.state)") }
  func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {
    note("advertisement \(advertisement.rssi)")
  }
  func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) { note("connected") }
  func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    note("failed\(code(error))")
  }
  func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    note("disconnected\(code(error))")
  }
  func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {}
  func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) { note("name") }
  func radio(_ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier) {
    note("services \(removed)")
  }
  func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) { note("notified \(value)") }
  func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) { note("ready") }
  func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) { note("length") }
}
