import BridgeIO
import BridgeProtocol
import Radio

/// One link of the wrapped radio, and what faults hold back of it.
@BridgeQueue
final class FaultLink {
  let peripheral: PeripheralIdentifier
  /// Requests on their way to the radio.
  let requests: DeliveryLine
  /// Answers and events on their way from it.
  let events: DeliveryLine
  /// As discovered last.
  var database: GATTDatabase? { didSet { names = nil } }
  private var names: [AttributeHandle: AttributeNames]?
  var notifying: Set<AttributeHandle> = []
  /// A fault ends the link with this; the radio has been told.
  var dropReason: BluetoothError?
  /// The observer has let go of it.
  var isReleased = false
  private var lost: [@BridgeQueue (BluetoothError) -> Void] = []
  private var timers: [QueueTimer] = []

  init(_ peripheral: PeripheralIdentifier, _ held: HeldDeliveries) {
    self.peripheral = peripheral
    requests = DeliveryLine(held)
    events = DeliveryLine(held)
  }

  func names(of attribute: AttributeHandle?) -> AttributeNames {
    guard let attribute, let database else { return AttributeNames() }
    let table = names ?? AttributeNames.table(of: database)
    names = table
    return table[attribute] ?? AttributeNames()
  }

  /// The error that a request gets when the link goes, as the reason for its going demands.
  var endingError: BluetoothError { isReleased ? .operationCancelled : .peripheralDisconnected }

  func after(_ delay: Duration, _ body: @escaping @BridgeQueue () -> Void) {
    timers.removeAll { !$0.isPending }
    timers.append(QueueTimer(after: delay, body))
  }

  /// A request that never gets its answer, unless the link ends.
  func lose(_ cancel: @escaping @BridgeQueue (BluetoothError) -> Void) { lost.append(cancel) }

  /// Answers all requests that are held back or lost.
  func failRequests(_ error: BluetoothError) {
    let lost = lost
    self.lost = []
    requests.cancel(error)
    for cancel in lost { cancel(error) }
  }

  func end() {
    for timer in timers { timer.cancel() }
    timers = []
  }
}
