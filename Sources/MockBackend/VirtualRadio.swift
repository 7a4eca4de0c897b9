public import BridgeIO
public import BridgeProtocol
public import Radio
public import RadioFaults

/// A world of virtual peripherals behind the same seam as a real adapter: those of a configuration, and any others added.
@BridgeQueue
public final class VirtualRadio: Radio {
  public weak var observer: (any RadioObserver)?
  public internal(set) var state = AdapterState.unknown
  public let options: VirtualRadioOptions
  /// Types passkeys; without one `options.passkeyEntry` counts.
  public weak var pairingDelegate: (any PairingDelegate)?

  private(set) lazy var deliveries = DeliveryQueue(radio: self)
  private lazy var advertiser = Advertiser(
    interval: { [unowned self] in interval(of: $0) }, report: { [unowned self] in report($0) })
  private var devices: [PeripheralIdentifier: VirtualDevice] = [:]
  /// In the order in which they came.
  private var order: [VirtualDevice] = []
  var configured: [PeripheralIdentifier: ConfiguredPeripheral] = [:]
  var currentConfiguration: MockConfiguration
  /// What the configuration says shall go wrong: for the `FaultRadio` around this one.
  public let faults = FaultPlan()
  var currentFaults: [ConfiguredFault] = []
  /// Between `start` and `stop`.
  private(set) var isRunning = false
  private var startTimer: QueueTimer?
  private var revision: UInt64 = 0
  private var currentScan: RadioScan?
  /// Advertisements of this scan, counted for ImpossiBLE's rhythm.
  private var scanStart = ContinuousClock.now
  /// What was paired with keeps its keys.
  var bonds: [PeripheralIdentifier: MockSecurityLevel] = [:]

  public init(
    configuration: MockConfiguration = MockConfiguration(name: "Empty"), options: VirtualRadioOptions = .init()
  ) {
    self.options = options
    currentConfiguration = MockConfiguration(name: "")
    apply(configuration)
  }

  private var isLax: Bool { options.compatibility == .impossible }

  // MARK: State

  public var description: RadioDescription { RadioDescription(kind: options.kind) }

  public func start() {
    isRunning = true
    for peripheral in configured.values { peripheral.begin() }
    let delay = currentConfiguration.behavior?.content.simulation.stateUpdateDelay ?? 0
    guard delay > 0 else { return setState(options.initialState) }
    startTimer = QueueTimer(after: .seconds(delay)) { [weak self] in
      if let self { setState(options.initialState) }
    }
  }

  public func stop(completion: @escaping @BridgeQueue () -> Void) {
    isRunning = false
    startTimer?.cancel()
    scan(nil)
    for device in order { device.link?.end(.operationCancelled) }
    for device in order { device.link = nil }
    for peripheral in configured.values { peripheral.reset() }
    bonds = [:]
    deliveries.add(completion)
  }

  /// Switches the virtual adapter, as a person or a system would; links end with it.
  public func setState(_ new: AdapterState) {
    guard state != new else { return }
    let wasOn = state == .poweredOn
    state = new
    if wasOn { loseEverything() }
    observer?.radioDidUpdateState(self)
    if new == .poweredOn, let currentScan { scan(currentScan) }
  }

  private func loseEverything() {
    advertiser.stop()
    for device in order {
      device.link?.end(.peripheralDisconnected)
      device.link = nil
    }
  }

  // MARK: The world

  /// Puts a peripheral into the world; one that has its identifier goes.
  public func add(_ peripheral: any VirtualPeripheral) {
    if devices[peripheral.id] != nil { remove(peripheral.id) }
    let device = VirtualDevice(peripheral, revision: nextRevision(), addsConfigurations: !isLax)
    devices[peripheral.id] = device
    order.append(device)
    peripheral.radio = self
    guard isScanning else { return }
    report(device)
    advertiser.add(device)
  }

  /// Takes a peripheral out: its link is lost, and nobody hears it any more.
  public func remove(_ id: PeripheralIdentifier) { remove([id]) }

  func remove(_ ids: Set<PeripheralIdentifier>) {
    guard !ids.isEmpty else { return }
    deliveries.forgetAdvertisements(of: ids)
    order.removeAll { device in
      guard ids.contains(device.peripheral.id) else { return false }
      if let link = device.link, link.state != .waiting {
        end(link, .peripheralDisconnected)
      } else if device.link != nil {
        fail(device, .unknownDevice)
      }
      advertiser.remove(device)
      device.peripheral.radio = nil
      devices[device.peripheral.id] = nil
      return true
    }
  }

  public func peripheral(_ id: PeripheralIdentifier) -> (any VirtualPeripheral)? { devices[id]?.peripheral }

  /// In the order in which they came.
  public var peripherals: [any VirtualPeripheral] { order.map(\.peripheral) }

  func device(_ id: PeripheralIdentifier) -> VirtualDevice? { devices[id] }

  private func nextRevision() -> UInt64 {
    revision += 1
    return revision
  }

  // MARK: Scanning

  private var isScanning: Bool { currentScan != nil && state == .poweredOn }

  public func scan(_ scan: RadioScan?) {
    currentScan = scan
    guard let scan, state == .poweredOn else { return advertiser.stop() }
    scanStart = .now
    // Without duplicates only what is new matters, and that is told when it comes.
    advertiser.start(order, repeats: scan.allowDuplicates || isLax, inStep: isLax)
  }

  private func interval(of device: VirtualDevice) -> Duration {
    if !isLax { return device.peripheral.advertisingInterval ?? options.advertisingInterval }
    return ContinuousClock.now - scanStart < .milliseconds(500) ? .seconds(1) : .seconds(2)
  }

  private func report(_ device: VirtualDevice) {
    guard isScanning else { return }
    // Repeats reach everyone then, asked for or not.
    if isLax { device.revision = nextRevision() }
    guard let content = device.content(isLax: isLax) else { return }
    device.reportedName = content.name
    deliveries.add(.advertisement(content, rssi: device.peripheral.rssi))
  }

  /// A peripheral advertises something else, begins, ends, or at another interval.
  public func advertisementChanged(_ id: PeripheralIdentifier) {
    guard let device = devices[id] else { return }
    device.revision = nextRevision()
    guard isScanning else { return }
    report(device)
    advertiser.add(device)
  }

  /// A peripheral says the same as before, out of its turn.
  public func advertise(_ id: PeripheralIdentifier) {
    if let device = devices[id] { report(device) }
  }

  // MARK: Knowing

  public func knows(_ peripheral: PeripheralIdentifier) -> Bool { devices[peripheral] != nil }

  public func name(of peripheral: PeripheralIdentifier) -> String? { devices[peripheral]?.name }

  public func address(of peripheral: PeripheralIdentifier) -> String? { nil }

  public func isConnected(_ peripheral: PeripheralIdentifier) -> Bool {
    devices[peripheral]?.link?.state == .connected
  }

  public func connectedPeripherals(with services: [BluetoothUUID]) -> [PeripheralIdentifier] {
    // These two every device has.
    let anyDevice = services.contains { $0.short == 0x1800 || $0.short == 0x1801 }
    return devices.values.filter { device in
      guard device.link?.state == .connected else { return false }
      return anyDevice || device.peripheral.services.contains { services.contains($0.uuid) }
    }.map(\.peripheral.id)
  }

  /// A peripheral has another name.
  public func nameChanged(_ id: PeripheralIdentifier) {
    guard let device = devices[id] else { return }
    device.revision = nextRevision()
    tellName(of: device)
  }

  func tellName(of device: VirtualDevice) {
    let id = device.peripheral.id
    guard let name = device.name, name != device.reportedName else { return }
    let isNews = device.reportedName != nil || device.link != nil
    device.reportedName = name
    guard isNews else { return }
    deliveries.add { [self] in observer?.radio(self, didUpdateName: name, of: id) }
  }

  /// The table as discoveries show it.
  func database(of device: VirtualDevice) -> GATTDatabase { device.table.database(hidesGeneric: !isLax) }
}
