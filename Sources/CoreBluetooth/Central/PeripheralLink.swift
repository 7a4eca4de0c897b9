import BridgeIO
import BridgeProtocol

/// One connection of a manager's peripheral, from `connect` to its end; a later one is another object. What comes late for
/// an earlier connection is known by it.
package final class PeripheralLink: Sendable {
  enum Phase {
    /// Its start is put off by the app's wish.
    case delayed
    case connecting
    case connected
    /// The app has cancelled it and waits for its end.
    case cancelled
    case ended
  }

  let id: PeripheralIdentifier
  let peripheral: WeakReference<CBPeripheral>
  let options: ConnectOptions
  let writes: WriteWindow
  /// What the service has said. The app may not know it yet.
  @BridgeQueue var phase = Phase.connecting
  @BridgeQueue var delay: QueueTimer?
  /// Writes without response that the socket may not have taken.
  @BridgeQueue var unsettledWrites = 0

  init(_ peripheral: CBPeripheral, _ options: ConnectOptions, writeQueueDepth: Int) {
    id = peripheral.wireIdentifier
    self.peripheral = WeakReference(peripheral)
    self.options = options
    writes = WriteWindow(size: writeQueueDepth)
  }

  /// The next connection of the same peripheral.
  init(after link: PeripheralLink) {
    id = link.id
    peripheral = link.peripheral
    options = link.options
    writes = WriteWindow(size: link.writes.size)
  }
}
