import BridgeIO
import BridgeProtocol

/// What one configured device does by itself: how it is heard, when its services change, what its characteristics say.
@BridgeQueue
final class DeviceScript {
  private(set) weak var peripheral: ConfiguredPeripheral?
  /// As the configuration has it.
  private let base: MockDevice
  let folder: String?
  private let seed: UInt64
  private let simulation: SimulationBehavior?
  private let world: SimulationBehavior?
  private let initiallyHidden: Set<Int>
  private var hidden: Set<Int>
  private var advertised: AdvertisingStep
  private(set) var isReachable = true
  private var walk: RSSIWalk?
  private var intervals: SplitMix64
  private var advertising: ScheduleRunner<AdvertisingStep>?
  private var serviceChanges: ScheduleRunner<ServiceStep>?
  private var characteristics: [CharacteristicScript.Place: CharacteristicScript] = [:]
  private var isRunning = false
  /// Settings of replies that wait for their time.
  var pendingReplies = 0
  static let pendingReplyLimit = 10_000

  /// nil if neither the device nor the world says anything that a script is needed for.
  init?(_ base: MockDevice, of peripheral: ConfiguredPeripheral, in configuration: MockConfiguration) {
    let world = configuration.behavior?.content
    guard base.hasScript || world?.simulation.concernsAdvertising == true else { return nil }
    self.base = base
    self.peripheral = peripheral
    folder = configuration.scriptFolder
    seed = base.behavior?.content.seed ?? world?.seed ?? 0
    simulation = base.behavior?.content.simulation
    self.world = world?.simulation
    initiallyHidden = Set(base.services.indices.filter { base.services[$0].behavior?.content.isHidden == true })
    hidden = initiallyHidden
    advertised = AdvertisingStep()
    intervals = SplitMix64(seed: seed &+ 0xA, for: base.id)
    walk = RSSIWalk(
      from: base.rssi, range: simulation?.rssiRange ?? self.world?.rssiRange,
      variation: simulation?.rssiVariation ?? self.world?.rssiVariation, random: random(0xB))
    makeRunners()
  }

  private func makeRunners() {
    let content = base.behavior?.content
    // Each is compared with the device as it was, and may give it another table.
    let cost = base.services.reduce(16) { $0 + 1 + $1.characteristics.count }
    if let schedule = content?.advertising?.schedule {
      advertising = ScheduleRunner(schedule, cost: cost) { [weak self] in self?.take($0) }
    }
    if let changes = content?.serviceChanges {
      serviceChanges = ScheduleRunner(changes.schedule, cost: cost) { [weak self] in self?.take($0) }
    }
    for (index, service) in base.services.enumerated() {
      for (position, characteristic) in service.characteristics.enumerated() {
        guard let behavior = characteristic.behavior?.content else { continue }
        let place = CharacteristicScript.Place(service: index, characteristic: position)
        characteristics[place] = CharacteristicScript(
          behavior, at: place, of: self, name: "\(base.name), \(characteristic.uuid.text)")
      }
    }
  }

  /// A sequence of its own for each thing that is random.
  func random(_ number: UInt64) -> SplitMix64 {
    SplitMix64(seed: seed &+ (number &+ 0x100) &* 0x9E37_79B9_7F4A_7C15, for: base.id)
  }

  // MARK: Running

  /// The device as it is in the beginning.
  var firstDevice: MockDevice { variant }

  func begin() {
    guard !isRunning else { return }
    isRunning = true
    advertising?.begin()
    if base.behavior?.content.serviceChanges?.whileConnected == false { serviceChanges?.begin() }
    for script in characteristics.values { script.begin(.always) }
  }

  func stop() {
    isRunning = false
    advertising?.stop()
    serviceChanges?.stop()
    for script in characteristics.values { script.stop() }
  }

  func didConnect() {
    if base.behavior?.content.serviceChanges?.whileConnected == true { serviceChanges?.begin() }
    for script in characteristics.values { script.begin(.connected) }
  }

  func didDisconnect() {
    for script in characteristics.values {
      script.end(.subscribed)
      script.end(.connected)
    }
    guard base.behavior?.content.serviceChanges?.whileConnected == true else { return }
    serviceChanges?.stop()
    hidden = initiallyHidden
    show()
  }

  func didSubscribe(_ isSubscribed: Bool, to attribute: VirtualAttribute) {
    guard let script = script(of: attribute) else { return }
    if isSubscribed { script.begin(.subscribed) } else { script.end(.subscribed) }
  }

  func isReadyToNotify() { for script in characteristics.values { script.resume() } }

  // MARK: On air

  func nextRSSI() -> Int { advertised.rssi ?? walk?.next() ?? base.rssi }

  var advertisingInterval: Duration? {
    let own = base.behavior?.content.advertising
    guard
      let interval = advertised.interval ?? own?.interval ?? simulation?.scanDiscoveryInterval
        ?? world?.scanDiscoveryInterval
    else { return nil }
    guard let jitter = own?.jitter, jitter > 0 else { return .seconds(interval) }
    return .seconds(interval + jitter * intervals.nextFraction())
  }

  private func take(_ step: AdvertisingStep) {
    let wasReachable = isReachable
    advertised.isVisible = step.isVisible ?? advertised.isVisible
    advertised.isConnectable = step.isConnectable ?? advertised.isConnectable
    advertised.localName = step.localName ?? advertised.localName
    advertised.advertisedServiceUUIDs = step.advertisedServiceUUIDs ?? advertised.advertisedServiceUUIDs
    advertised.manufacturerData = step.manufacturerData ?? advertised.manufacturerData
    advertised.serviceData = step.serviceData ?? advertised.serviceData
    advertised.txPower = step.txPower ?? advertised.txPower
    advertised.rssi = step.rssi ?? advertised.rssi
    advertised.interval = step.interval ?? advertised.interval
    isReachable = step.isReachable ?? isReachable
    show()
    guard isReachable != wasReachable, let peripheral else { return }
    peripheral.radio?.reachabilityChanged(base.id)
  }

  private func take(_ step: ServiceStep) {
    for index in base.services.indices {
      if step.hide.contains(base.services[index].uuid) { hidden.insert(index) }
      if step.show.contains(base.services[index].uuid) { hidden.remove(index) }
    }
    show()
  }

  private func show() { peripheral?.show(variant) }

  /// The device as it is now.
  private var variant: MockDevice {
    var device = base
    if let isVisible = advertised.isVisible { device.isEnabled = isVisible }
    if !isReachable { device.isEnabled = false }
    if let isConnectable = advertised.isConnectable { device.isConnectable = isConnectable }
    if let localName = advertised.localName { device.localName = localName }
    if let services = advertised.advertisedServiceUUIDs { device.advertisedServiceUUIDs = services }
    if let data = advertised.manufacturerData { device.manufacturerData = data }
    if let data = advertised.serviceData { device.serviceData = data }
    if let power = advertised.txPower { device.txPower = power }
    if !hidden.isEmpty {
      device.services = base.services.indices.filter { !hidden.contains($0) }.map { base.services[$0] }
    }
    return device
  }

  // MARK: Attributes

  /// Services of the configuration that are there now.
  private var shown: [Int] { base.services.indices.filter { !hidden.contains($0) } }

  func script(of attribute: VirtualAttribute) -> CharacteristicScript? {
    guard !characteristics.isEmpty, !attribute.isDescriptor else { return nil }
    let service = hidden.isEmpty ? attribute.place.service : shown[attribute.place.service]
    return characteristics[.init(service: service, characteristic: attribute.place.characteristic)]
  }

  /// nil while it is hidden.
  func attribute(at place: CharacteristicScript.Place) -> VirtualAttribute? {
    guard let service = hidden.isEmpty ? place.service : shown.firstIndex(of: place.service) else { return nil }
    return peripheral?.radio?.attribute(
      at: .init(service: service, characteristic: place.characteristic, descriptor: nil), of: base.id)
  }

  func target(of setting: WriteReply.Setting, from place: CharacteristicScript.Place) -> VirtualAttribute? {
    guard let uuid = setting.characteristic else { return attribute(at: place) }
    let others = base.services.indices.filter { $0 != place.service }
    for service in [place.service] + others {
      if let wanted = setting.service, base.services[service].uuid != wanted { continue }
      guard let position = base.services[service].characteristics.firstIndex(where: { $0.uuid == uuid }) else {
        continue
      }
      if let found = attribute(at: .init(service: service, characteristic: position)) { return found }
    }
    return nil
  }
}

extension MockDevice {
  fileprivate var hasScript: Bool {
    if behavior != nil { return true }
    return services.contains { $0.behavior != nil || $0.characteristics.contains { $0.behavior != nil } }
  }
}

extension SimulationBehavior {
  fileprivate var concernsAdvertising: Bool {
    scanDiscoveryInterval != nil || rssiRange != nil || rssiVariation != nil
  }
}
