import BridgeIO
import BridgeProtocol
public import CoreBluetooth

/// The air of the process: central and peripheral managers that are made while it is in use find each other on it, each on a
/// device of its own. It is bridge's own service, run inside the process.
///
/// The first use of `shared` puts it to use for all managers, those included that are there already.
public final class EmulatorBus: Sendable {
  private struct State {
    var configuration = EmulatorConfiguration()
    var errors: [EmulatorEngine.AttributeError] = []
    var isInUse = false
    /// Of the service that managers go to, instead of the bus's own.
    var socket: String?
  }

  public static let shared = EmulatorBus()

  let engine = EmulatorEngine()
  private let state = Lock(State())
  private static let devices = Lock(0)

  private init() { use() }

  // MARK: Use

  /// Puts the bus to use, if it is not.
  public func use() {
    let wasInUse = state.withLock { state in
      defer { state.isInUse = true }
      return state.isInUse
    }
    if !wasInUse { ServiceEndpoint.use(endpoint) }
  }

  /// Gives managers back the service that they would have without it.
  public func stop() {
    state.withLock { $0 = State() }
    ServiceEndpoint.use(nil)
    BridgeQueue.async { [engine] in engine.stop() }
  }

  private var endpoint: ServiceEndpoint {
    ServiceEndpoint(
      ending: { [engine] _ in engine.ending() },
      rules: { [self] in state.withLock { $0.configuration.peripheralRules } },
      writeDepth: { [self] in state.withLock { $0.configuration.writeQueueDepth } },
      connect: { [self] in
        let (delay, socket) = state.withLock { ($0.configuration.stateUpdateDelay, $0.socket) }
        // Off the queue, on a thread that may wait.
        if delay > 0 { Thread.sleep(forTimeInterval: delay) }
        if let socket { return try UnixSocket.connect(to: SocketPath(socket + ".control")) }
        let (own, theirs) = try UnixSocket.pair().take()
        BridgeQueue.async { [engine] in engine.accept(FileDescriptor(owning: own)) }
        return FileDescriptor(owning: theirs)
      }
    ).on { Self.nextDevice() }
  }

  private static func nextDevice() -> String {
    let number = devices.withLock { count in
      count += 1
      return count
    }
    return "emulated \(ProcessInfo.processInfo.processIdentifier) \(number)"
  }

  // MARK: Configuring

  public var configuration: EmulatorConfiguration { state.withLock { $0.configuration } }

  /// Changes how the air behaves, at once. The length of queues counts for managers made from now on, and
  /// `stateRestorationEnabled` only while there are none.
  public func configure(_ configuration: EmulatorConfiguration) {
    use()
    state.withLock { $0.configuration = configuration }
    BridgeQueue.async { [engine] in engine.configure(configuration) }
  }

  /// Lets every read, write and subscription of a characteristic fail; nil lets it succeed again.
  public func setError(_ error: CBATTError.Code?, for characteristic: CBUUID, in peripheral: UUID) {
    let (id, uuid) = (PeripheralIdentifier(peripheral), characteristic.value)
    let errors = state.withLock { state in
      state.errors.removeAll { $0.peripheral == id && $0.characteristic == uuid }
      if let error, let code = UInt8(exactly: error.rawValue) {
        state.errors.append(.init(peripheral: id, characteristic: uuid, error: .attribute(code)))
      }
      return state.errors
    }
    BridgeQueue.async { [engine] in engine.set(errors) }
  }

  /// Back to the beginning: default configuration, no errors, nothing published, advertised or connected. Managers that are
  /// there lose their service and come back to a new one.
  public func reset() {
    use()
    state.withLock { state in
      state = State()
      state.isInUse = true
    }
    BridgeQueue.async { [engine] in
      engine.stop()
      engine.set([])
      engine.configure(EmulatorConfiguration())
    }
    ServiceEndpoint.use(endpoint)
  }

  // MARK: Apps

  /// What a person answers who is asked whether the device may see notifications.
  public func setANCSAuthorized(_ isAuthorized: Bool, for peripheral: CBPeripheral) {
    guard configuration.fireANCSAuthorizationUpdates else { return }
    peripheral.emulateANCSAuthorization(isAuthorized)
  }

  /// Ends a manager as if its app had been killed: what it held is kept for one with the same restore identifier.
  public func terminate(_ central: CBCentralManager) { central.loseService() }

  /// Ends a manager as if its app had been killed: what it published is kept for one with the same restore identifier.
  public func terminate(_ peripheral: CBPeripheralManager) { peripheral.loseService() }

  // MARK: Other processes

  /// Makes managers clients of the service at a path, of `bridge serve --radio mock` or `both`, instead of the bus's own: they
  /// meet those of other processes there. The configuration's delays and errors are that service's then.
  public func enableNetworkMode(socket path: String) {
    state.withLock { state in
      state.socket = path
      state.isInUse = true
    }
    ServiceEndpoint.use(endpoint)
  }

  /// Makes managers meet those of other processes of this machine that name the same port. Whoever comes first serves the
  /// others, at a socket that has the port in its name: nothing listens on the network.
  public func enableNetworkMode(port: UInt16) {
    let path = Self.socketPath(port: port)
    BridgeQueue.async { [engine] in
      // It is another process's: that one serves.
      do { try engine.serve(at: path) } catch { Log.info("emulator", "\(path): \(error)") }
    }
    enableNetworkMode(socket: path)
  }

  package static func socketPath(port: UInt16) -> String {
    let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
    return (folder as NSString).appendingPathComponent("bridge-emulator-\(port).sock")
  }
}
