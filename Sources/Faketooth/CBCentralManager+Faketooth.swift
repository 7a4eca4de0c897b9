import BridgeIO
public import CoreBluetooth

extension CBCentralManager {
  private static let simulated = Lock<[FaketoothPeripheral]?>(nil)

  /// The peripherals that all central managers of the process find, instead of those of the Bluetooth service; nil gives
  /// the service back.
  ///
  /// Managers that are there already change over: they are told `resetting`, and then the new state.
  public class var simulatedPeripherals: [FaketoothPeripheral]? {
    get { simulated.withLock { $0 } }
    set {
      let wasSimulating = simulated.withLock { state in
        defer { state = newValue }
        return state != nil
      }
      BridgeQueue.async { FaketoothWorld.shared.serve(newValue) }
      if wasSimulating != (newValue != nil) { ServiceEndpoint.use(newValue == nil ? nil : FaketoothWorld.endpoint) }
    }
  }
}
