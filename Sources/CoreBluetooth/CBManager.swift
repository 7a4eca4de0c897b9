import BridgeIO
public import CCoreBluetooth
public import Foundation

/// What `CBCentralManager` and `CBPeripheralManager` have in common.
open class CBManager: NSObject {
  /// Where the delegate is called.
  package let callbacks: CallbackQueue
  private let toldState = Guarded(CBManagerState.unknown)

  package init(queue: DispatchQueue?) {
    callbacks = CallbackQueue(queue)
    super.init()
    Authorization.managerMade()
  }

  deinit { callbacks.close() }

  /// As last told to the delegate.
  open var state: CBManagerState { toldState[\.self] }

  /// Right before the delegate is told.
  package func set(state: CBManagerState) {
    toldState[\.self] = state
    Authorization.note(state)
  }

  /// Not determined until the process makes a manager; denied if the service does not let it use the radio.
  open class var authorization: CBManagerAuthorization { Authorization.current }

  open var authorization: CBManagerAuthorization { Authorization.current }

  /// Whether a command may go; says on the console when not.
  package func acceptsCommands() -> Bool {
    if state == .poweredOn { return true }
    Misuse.log("\(self) can only accept this command while in the powered on state")
    return false
  }

  open override var description: String {
    "<\(type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))>"
  }
}

/// Whether this process may use Bluetooth.
private enum Authorization {
  private static let value = Lock(CBManagerAuthorization.notDetermined)

  static var current: CBManagerAuthorization { value.withLock { $0 } }

  static func managerMade() { value.withLock { if $0 == .notDetermined { $0 = .allowedAlways } } }

  static func note(_ state: CBManagerState) {
    switch state {
    case .unauthorized: value.withLock { $0 = .denied }
    case .poweredOn, .poweredOff: value.withLock { $0 = .allowedAlways }
    default: break
    }
  }
}
