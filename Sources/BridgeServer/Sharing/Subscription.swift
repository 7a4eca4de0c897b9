import BridgeIO
import BridgeProtocol
import Radio

/// The notifications of one characteristic: on at the radio while any session wants them.
///
/// Requests are taken one after another, so that each is answered by what holds after it, however they overlap.
@BridgeQueue
final class Subscription {
  /// `enabled` is what holds for the session.
  typealias Completion = @BridgeQueue (_ enabled: Bool, _ error: BluetoothError?) -> Void

  struct Subscriber {
    var connection: Connection
    /// As the client named it; nil for the characteristic's own id.
    var otherID: String?
  }

  private struct Request {
    var enable: Bool
    /// nil for our own wish to switch off what nobody wants any more.
    var subscriber: Subscriber?
    var completion: Completion?
  }

  let characteristic: AttributeTable.Characteristic
  private let peripheral: SharedPeripheral
  private(set) var subscribers: [Subscriber] = []
  private var requests: [Request] = []
  private var isOn = false
  private var isWaitingForRadio = false
  private var isDropped = false

  init(to characteristic: AttributeTable.Characteristic, of peripheral: SharedPeripheral) {
    self.characteristic = characteristic
    self.peripheral = peripheral
  }

  func isSubscribed(_ connection: Connection) -> Bool { subscribers.contains { $0.connection === connection } }

  func set(_ enable: Bool, for subscriber: Subscriber, completion: @escaping Completion) {
    requests.append(Request(enable: enable, subscriber: subscriber, completion: completion))
    proceed()
  }

  /// The connection has ended: what it asked for is not answered any more.
  func remove(_ connection: Connection) {
    subscribers.removeAll { $0.connection === connection }
    // The first may be the radio's business just now; its answer finds nobody.
    for index in requests.indices where requests[index].subscriber?.connection === connection {
      let completion = requests[index].completion
      requests[index].subscriber = nil
      requests[index].completion = nil
      completion?(false, .operationCancelled)
    }
    switchOffIfUnwanted()
  }

  /// The link is no more: who waits is answered, and the radio's own answer counts no longer.
  func fail(_ error: BluetoothError) {
    let waiting = requests
    requests = []
    drop()
    for request in waiting where request.subscriber != nil { request.completion?(false, error) }
  }

  /// The characteristic is no more.
  func drop() {
    isDropped = true
    subscribers = []
  }

  /// Calls `body` with each who gets a notification now: the subscribers, and the one whose subscription the radio is
  /// just making, whose answer the first notification may overtake.
  func forEachReceiver(_ body: (Subscriber) -> Void) {
    for subscriber in subscribers { body(subscriber) }
    guard isWaitingForRadio, let first = requests.first, first.enable, let subscriber = first.subscriber else { return }
    if !isSubscribed(subscriber.connection) { body(subscriber) }
  }

  // MARK: One request after another

  private func proceed() {
    while !isWaitingForRadio, let request = requests.first {
      if request.enable ? !isOn : isOn && isLastWish(request) { return askRadio(request) }
      requests.removeFirst()
      settle(request, error: nil)
    }
    if !isWaitingForRadio, !isOn, subscribers.isEmpty, requests.isEmpty { peripheral.forget(self) }
  }

  /// Whether nobody wants notifications once `request`, which wants none, is done.
  private func isLastWish(_ request: Request) -> Bool {
    subscribers.allSatisfy { $0.connection === request.subscriber?.connection }
  }

  private func askRadio(_ request: Request) {
    // Its client went before it was its turn.
    if request.enable && request.subscriber == nil {
      requests.removeFirst()
      return proceed()
    }
    isWaitingForRadio = true
    let handle = characteristic.attribute.handle
    peripheral.radio.setNotify(request.enable, characteristic: handle, of: peripheral.id) { [self] result in
      isWaitingForRadio = false
      guard !requests.isEmpty else { return }
      switch result {
      case .success:
        isOn = request.enable
        settleFirst(error: nil)
      case .failure(let error):
        // Our own wish is not repeated: the link is probably on its way out.
        if !request.enable && requests.first?.subscriber == nil { isOn = false }
        settleFirst(error: error)
        // The others wanted the same of the radio just now.
        while request.enable, let next = requests.first, next.enable { settleFirst(error: error) }
      }
      switchOffIfUnwanted()
      proceed()
    }
  }

  private func settleFirst(error: BluetoothError?) { settle(requests.removeFirst(), error: error) }

  private func settle(_ request: Request, error: BluetoothError?) {
    guard let subscriber = request.subscriber else { return }
    let error = error ?? (isDropped ? .attribute(0x01) : nil)
    if error == nil {
      subscribers.removeAll { $0.connection === subscriber.connection }
      if request.enable { subscribers.append(subscriber) }
    }
    request.completion?(isSubscribed(subscriber.connection), error)
  }

  private func switchOffIfUnwanted() {
    guard isOn, !isDropped, !isWaitingForRadio, subscribers.isEmpty, requests.allSatisfy({ $0.subscriber == nil })
    else { return }
    requests = [Request(enable: false)]
    proceed()
  }
}
