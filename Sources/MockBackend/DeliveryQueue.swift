import BridgeIO
import BridgeProtocol
import Radio

/// What a radio has to tell, in the order in which it came about: told at the end of the turn, never inside the call that
/// caused it.
@BridgeQueue
final class DeliveryQueue {
  enum Delivery {
    case notification([UInt8], AttributeHandle, VirtualLink)
    case read(RadioCompletion<[UInt8]>, Result<[UInt8], BluetoothError>)
    case done(RadioCompletion<Void>, Result<Void, BluetoothError>)
    case advertisement(AdvertisedContent, rssi: Int)
    case other(@BridgeQueue () -> Void)
  }

  private unowned let radio: VirtualRadio
  private var waiting: [Delivery] = []
  private var isScheduled = false

  init(radio: VirtualRadio) { self.radio = radio }

  func add(_ delivery: Delivery) {
    waiting.append(delivery)
    guard !isScheduled else { return }
    isScheduled = true
    // The radio, which is not to go before all is told.
    BridgeQueue.atEndOfTurn { [radio] in radio.deliveries.deliver() }
  }

  func add(_ body: @escaping @BridgeQueue () -> Void) { add(.other(body)) }

  /// They are gone before they were told of.
  func forgetAdvertisements(of peripherals: Set<PeripheralIdentifier>) {
    waiting.removeAll { delivery in
      guard case .advertisement(let content, _) = delivery else { return false }
      return peripherals.contains(content.peripheral)
    }
  }

  private func deliver() {
    var batch: [Delivery] = []
    swap(&batch, &waiting)
    // What these cause comes behind them, in this turn.
    isScheduled = false
    for delivery in batch { tell(delivery) }
    guard waiting.isEmpty, batch.capacity <= 4096 else { return }
    batch.removeAll(keepingCapacity: true)
    waiting = batch
  }

  private func tell(_ delivery: Delivery) {
    switch delivery {
    case .notification(let value, let characteristic, let link):
      radio.observer?.radio(radio, didNotify: value, characteristic: characteristic, of: link.id)
      link.notificationDelivered()
    case .read(let completion, let result): completion(result)
    case .done(let completion, let result): completion(result)
    case .advertisement(let content, let rssi): radio.observer?.radio(radio, didReceive: content.heard(at: rssi))
    case .other(let body): body()
    }
  }
}
