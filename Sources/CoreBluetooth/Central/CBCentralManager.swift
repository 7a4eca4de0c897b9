import BridgeIO
import BridgeProtocol
public import CCoreBluetooth
public import Foundation

/// Finds and connects peripherals, through the service.
open class CBCentralManager: CBManager {
  public typealias Feature = CBCentralManagerFeature

  private struct State {
    weak var delegate: (any CBCentralManagerDelegate)?
    var isScanning = false
    /// Counts scans: what an earlier one found is not told any more.
    var scanNumber = 0
    var isMethodMissing = false
  }

  private let central: Guarded<State>
  let peripherals = PeripheralTable()
  let session: CentralSession

  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// - Parameter queue: where the delegates of the manager and of its peripherals are called; nil is the main queue.
  public required init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    central = Guarded(State(delegate: delegate))
    session = CentralSession(endpoint: .current, options: options)
    super.init(queue: queue)
    session.start(self)
  }

  /// With a service of its own.
  package init(
    delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
    endpoint: ServiceEndpoint, timing: ServiceConnection.Timing = ServiceConnection.Timing()
  ) {
    central = Guarded(State(delegate: delegate))
    session = CentralSession(endpoint: endpoint, options: options, timing: timing)
    super.init(queue: queue)
    session.start(self)
  }

  deinit {
    let session = session
    BridgeQueue.async { session.close() }
  }

  weak open var delegate: (any CBCentralManagerDelegate)? {
    get { central[\.delegate] }
    set { central[\.delegate] = newValue }
  }

  open class func supports(_ features: CBCentralManager.Feature) -> Bool {
    features.subtracting(.extendedScanAndConnect).isEmpty
  }

  // MARK: Scanning

  open var isScanning: Bool { central[\.isScanning] }

  /// Replaces the scan that is on.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard acceptsCommands() else { return }
    let scan = CentralScan(services: serviceUUIDs, options: options, number: nextScan(isScanning: true))
    let session = session
    BridgeQueue.async { session.scan(scan) }
  }

  open func stopScan() {
    guard acceptsCommands(), isScanning else { return }
    _ = nextScan(isScanning: false)
    let session = session
    BridgeQueue.async { session.stopScan() }
  }

  private func nextScan(isScanning: Bool) -> Int {
    central.withLock { state in
      state.isScanning = isScanning
      state.scanNumber += 1
      return state.scanNumber
    }
  }

  func isRunning(scan number: Int) -> Bool { central.withLock { $0.isScanning && $0.scanNumber == number } }

  /// The radio has gone.
  func endScan() { _ = nextScan(isScanning: false) }

  func restoredScan(_ state: DidRestoreState) -> CentralScan {
    CentralScan(
      services: state.scanServices.map { CBUUID($0) }, options: state.scanOptions,
      number: nextScan(isScanning: true))
  }

  // MARK: Retrieving

  /// Those of these devices that the host knows, in this order. Asks the service, and waits for the answer.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    retrieve(identifiers.map { PeripheralIdentifier($0) }, connectedWith: [])
  }

  /// Devices connected to the host, by anyone, that have one of the services. They are to be connected before they are
  /// used. Asks the service, and waits for the answer.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    retrieve([], connectedWith: serviceUUIDs.map(\.value))
  }

  private func retrieve(_ ids: [PeripheralIdentifier], connectedWith services: [BluetoothUUID]) -> [CBPeripheral] {
    guard acceptsCommands(), !ids.isEmpty || !services.isEmpty else { return [] }
    let (retrieval, session) = (Retrieval(), session)
    BridgeQueue.async { session.retrieve(ids, connectedWith: services, retrieval) }
    return retrieval.wait().map { found in
      let peripheral = peripherals.peripheral(found.id, of: self)
      _ = peripheral.update(name: found.name)
      return peripheral
    }
  }

  // MARK: Connections

  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard acceptsCommands(), owns(peripheral) else { return }
    guard let options = ConnectOptions(options) else {
      return callbacks.add { [manager = WeakReference(self), peripheral = Held(peripheral)] in
        manager.object?.didFailToConnect(peripheral.object, .invalidParameters)
      }
    }
    switch peripheral.beginConnection(options, writeQueueDepth: session.connection.endpoint.writeQueueDepth) {
    case .begun(let link):
      let session = session
      BridgeQueue.async { session.connect(link) }
    case .standing(let link):
      callbacks.add { [manager = WeakReference(self)] in manager.object?.didConnectAgain(link) }
    case .pending: break
    }
  }

  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard acceptsCommands(), owns(peripheral), let link = peripheral.cancelConnection() else { return }
    let session = session
    BridgeQueue.async { session.cancel(link) }
  }

  // MARK: Connections of others

  /// The most services that can be named.
  private static let matchedServices = 4

  /// Has the delegate told when the host's connections with these devices, or with devices that have one of these
  /// services, come and go, whoever makes them; nil ends it.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard acceptsCommands() else { return }
    var json: [String: JSONValue] = [:]
    if let services = options?[.serviceUUIDs] as? [CBUUID] {
      if services.count > Self.matchedServices {
        Misuse.warn("\(self) matches connection events by \(Self.matchedServices) services, not \(services.count)")
      }
      json[CBConnectionEventMatchingOption.serviceUUIDs.rawValue] = .array(
        services.prefix(Self.matchedServices).map { .string($0.uuidString) })
    }
    if let peripherals = options?[.peripheralUUIDs] as? [UUID] {
      json[CBConnectionEventMatchingOption.peripheralUUIDs.rawValue] = .array(
        peripherals.map { .string($0.uuidString) })
    }
    let registration = RegisterForConnectionEvents(options: json)
    let session = session
    BridgeQueue.async { session.register(registration) }
  }

  // MARK: Methods that a delegate may lack

  /// Runs a call of a delegate's method.
  ///
  /// - Returns: false if it was the body that stands for a missing method.
  func isImplemented(_ call: () -> Void) -> Bool {
    central[\.isMethodMissing] = false
    call()
    return !central[\.isMethodMissing]
  }

  /// Called from bodies that stand for a missing method.
  func methodIsMissing() { central[\.isMethodMissing] = true }

  /// A peripheral of another manager is not for this one.
  private func owns(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.manager === self { return true }
    Misuse.log("\(peripheral) is not a peripheral of \(self); retrieve it by its identifier")
    return false
  }
}
