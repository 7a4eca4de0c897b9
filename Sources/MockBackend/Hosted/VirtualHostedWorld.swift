public import BridgeIO
public import BridgeProtocol
public import Radio

/// The world of peripherals that clients host. Each device of a client has a radio of its own in it, so that a peripheral
/// has as many centrals as there are devices, with links, subscriptions and MTUs apart.
@BridgeQueue
public final class VirtualHostedWorld: HostedWorld {
  public struct Options {
    public var radio = VirtualRadioOptions()
    /// dBm, as each central receives it.
    public var rssi: @BridgeQueue () -> Int = { -50 }
    /// nil for the radio's.
    public var advertisingInterval: Duration?
    public var maximumMTU = 517
    public var pairing = VirtualPairing(mode: .justWorks)
    /// The time that one update takes on its way to a central.
    public var updateInterval = Duration.zero
    /// What clients can publish channels at; nil for none.
    public var l2capPSMs: ClosedRange<UInt16>? = 0x80...0xFF
    /// dBm, advertised by those that do not say it.
    public var txPowerLevel: Int?
    /// Whether a peripheral's own name is the one that it advertises, not its device's.
    public var showsLocalName = false
    /// Peripherals whose clients are gone and that centrals may still wait for.
    public var rememberedPeripherals = 256

    public init() {}
  }

  public var options: Options
  public var state: AdapterState {
    didSet { if state != oldValue { stateChanged() } }
  }
  private var radios: [HostDevice: VirtualRadio] = [:]
  private var peripherals: [PeripheralIdentifier: VirtualHost] = [:]
  /// In the order in which their clients went.
  private var abandoned: [VirtualHost] = []

  public init(options: Options = Options(), state: AdapterState = .poweredOn) {
    self.options = options
    self.state = state
  }

  private func stateChanged() {
    for radio in radios.values { radio.setState(state) }
    guard state.rawValue < AdapterState.poweredOff.rawValue else { return }
    for peripheral in peripherals.values { peripheral.reset() }
  }

  // MARK: Devices

  public func makeRadio(for device: HostDevice) -> any Radio {
    var options = options.radio
    options.initialState = state
    let radio = VirtualRadio(options: options)
    radios[device] = radio
    for peripheral in peripherals.values where peripheral.device != device { peripheral.appear(to: device, on: radio) }
    return radio
  }

  public func removeRadio(for device: HostDevice) {
    guard let radio = radios.removeValue(forKey: device) else { return }
    for peripheral in peripherals.values { peripheral.disappear(to: device) }
    radio.stop {}
  }

  // MARK: Peripherals

  public func makePeripheral(
    on device: HostDevice, name: String, delegate: any HostedPeripheralDelegate
  ) -> any HostedPeripheral {
    let peripheral = vacant(on: device, name)
    abandoned.removeAll { $0 === peripheral }
    peripheral.open(delegate)
    return peripheral
  }

  /// The one that the client had before, or a new one; the first of a name that nobody has now.
  private func vacant(on device: HostDevice, _ name: String) -> VirtualHost {
    var number = 0
    while true {
      let id = PeripheralIdentifier(derivedFrom: "hosted \(number) \(name) of \(device.identity)")
      guard let former = peripherals[id] else { return makeHost(id, device) }
      if !former.isOpen, former.device == device { return former }
      number += 1
    }
  }

  private func makeHost(_ id: PeripheralIdentifier, _ device: HostDevice) -> VirtualHost {
    let host = VirtualHost(id, on: device, in: self)
    peripherals[id] = host
    for (other, radio) in radios where other != device { host.appear(to: other, on: radio) }
    return host
  }

  /// Its client is gone.
  func closed(_ host: VirtualHost) {
    abandoned.append(host)
    guard abandoned.count > options.rememberedPeripherals else { return }
    let forgotten = abandoned.removeFirst()
    peripherals[forgotten.id] = nil
    forgotten.disappear()
  }
}

extension PeripheralIdentifier {
  /// A device as the centrals' side sees it.
  static func central(_ device: HostDevice) -> PeripheralIdentifier {
    PeripheralIdentifier(derivedFrom: "central \(device.identity)")
  }
}
