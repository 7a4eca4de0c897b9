import BridgeIO
import BridgeProtocol
public import CCoreBluetooth
public import Foundation

/// Publishes services and advertises them, through the service.
open class CBPeripheralManager: CBManager {
  struct State {
    weak var delegate: (any CBPeripheralManagerDelegate)?
    var isAdvertising = false
    /// Advertises, or has asked to.
    var wantsAdvertising = false
    var published = PublishedServices()
    var updates: UpdateWindow
    var centrals = CentralTable()
  }

  let local: Guarded<State>
  let rules: PeripheralRules
  package let session: PeripheralSession

  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// - Parameter queue: where the delegate is called; nil is the main queue.
  public required init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil
  ) {
    rules = ServiceEndpoint.current.peripheralRules
    local = Guarded(State(delegate: delegate, updates: UpdateWindow(depth: rules.updateQueueDepth)))
    session = PeripheralSession(endpoint: .current, options: options)
    super.init(queue: queue)
    session.start(self)
  }

  /// With a service of its own.
  package init(
    delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil,
    endpoint: ServiceEndpoint, timing: ServiceConnection.Timing = ServiceConnection.Timing()
  ) {
    rules = endpoint.peripheralRules
    local = Guarded(State(delegate: delegate, updates: UpdateWindow(depth: rules.updateQueueDepth)))
    session = PeripheralSession(endpoint: endpoint, options: options, timing: timing)
    super.init(queue: queue)
    session.start(self)
  }

  deinit {
    let session = session
    BridgeQueue.async { session.close() }
  }

  weak open var delegate: (any CBPeripheralManagerDelegate)? {
    get { local[\.delegate] }
    set { local[\.delegate] = newValue }
  }

  @available(*, deprecated, message: "use CBManager.authorization")
  open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue)!
  }

  /// Calls the delegate later, on its queue.
  func tell(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    callbacks.add { [manager = WeakReference(self)] in if let manager = manager.object { body(manager) } }
  }

  func send(_ request: PeripheralRequest) {
    let session = session
    BridgeQueue.async { session.send(request) }
  }

  // MARK: Advertising

  open var isAdvertising: Bool { local[\.isAdvertising] }

  /// - Parameter advertisementData: a name and UUIDs; what else is there is ignored, as by Apple's.
  open func startAdvertising(_ advertisementData: [String: Any]?) {
    guard acceptsCommands() else { return }
    let isNew = local.withLock { state in
      defer { state.wantsAdvertising = true }
      return !state.wantsAdvertising
    }
    guard isNew else {
      return tell { manager in
        manager.delegate?.peripheralManagerDidStartAdvertising(
          manager, error: BluetoothError.alreadyAdvertising.appError)
      }
    }
    let data = AppAdvertisement(advertisementData, rules: rules).data
    send(.startAdvertising(StartAdvertising(advertisement: data)))
  }

  open func stopAdvertising() {
    guard acceptsCommands() else { return }
    let wasOn = local.withLock { state in
      defer { (state.wantsAdvertising, state.isAdvertising) = (false, false) }
      return state.wantsAdvertising
    }
    if wasOn { send(.stopAdvertising(StopAdvertising())) }
  }

  open func setDesiredConnectionLatency(
    _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
  ) {
    guard acceptsCommands(), (0...2).contains(latency.rawValue) else { return }
    send(
      .setConnectionLatency(
        SetConnectionLatency(central: PeripheralIdentifier(central.identifier), latency: latency.rawValue)))
  }

  // MARK: Services

  /// Publishes a service as it is now; later changes of it have no effect.
  open func add(_ service: CBMutableService) {
    guard acceptsCommands() else { return }
    let rules = rules
    let result = local.withLock { state in
      Result { () throws(PublishedServices.Problem) in try state.published.add(service, rules: rules) }
    }
    switch result {
    case .success(let hosted): send(.publishService(PublishService(service: hosted)))
    case .failure(let problem):
      Misuse.log("\(self) cannot add \(service): \(problem.error.text)")
      tell { [service = Held(service)] manager in
        manager.delegate?.peripheralManager(manager, didAdd: service.object, error: problem.error.appError)
      }
    }
  }

  open func remove(_ service: CBMutableService) {
    guard acceptsCommands(), let number = local.withLock({ $0.published.remove(service) }) else { return }
    send(.unpublishService(UnpublishService(service: number)))
  }

  open func removeAllServices() {
    guard acceptsCommands() else { return }
    local.withLock { $0.published.removeAll() }
    send(.unpublishService(UnpublishService()))
  }

  // MARK: Requests

  /// Answers a request, or the batch of writes that it is the first of.
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
    guard acceptsCommands() else { return }
    guard let ticket = request.ticket, ticket.use() else {
      return Misuse.log("\(request) has been answered already, or is not one of \(self)")
    }
    var code = UInt8(truncatingIfNeeded: result.rawValue)
    if code == 0, ticket.kind == .read, request.value == nil {
      Misuse.log("\(request) is a read without a value")
      code = UInt8(CBATTError.unlikelyError.rawValue)
    }
    let value = ticket.kind == .read && code == 0 ? request.value.map { Array($0) } ?? [] : []
    send(.respond(RespondToRequest(request: ticket.number, result: code, value: value)))
  }

  /// Notifies or indicates a value.
  ///
  /// - Parameter centrals: those of the subscribed to get it; nil for all.
  /// - Returns: false if there is no room for it; the delegate is told when there is.
  @discardableResult
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool {
    guard acceptsCommands() else { return false }
    guard let number = local.withLock({ $0.published.number(of: characteristic) }) else {
      Misuse.log("\(characteristic) has not been published by \(self)")
      return false
    }
    let subscribed = characteristic.subscribedCentrals ?? []
    let meant = centrals.map { centrals in
      centrals.filter { central in subscribed.contains { $0.identifier == central.identifier } }
    }
    if (meant ?? subscribed).isEmpty { return true }
    guard let update = local.withLock({ $0.updates.begin() }) else { return false }
    send(
      .updateSubscribers(
        UpdateSubscribers(
          update: update, characteristic: number, value: Array(value.prefix(ProtocolLimits.maximumValueLength)),
          centrals: meant?.map { PeripheralIdentifier($0.identifier) })))
    return true
  }

  // MARK: L2CAP

  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard acceptsCommands() else { return }
    send(.publishL2CAP(PublishL2CAP(encryptionRequired: encryptionRequired)))
  }

  open func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) {
    guard acceptsCommands() else { return }
    send(.unpublishL2CAP(UnpublishL2CAP(psm: psm)))
  }
}
