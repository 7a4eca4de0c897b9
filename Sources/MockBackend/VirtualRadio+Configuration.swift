import BridgeIO
public import BridgeProtocol
public import Radio
public import RadioFaults

extension VirtualRadio: MockRadio, FaultyRadio {
  /// The devices of the world, but for those added otherwise.
  ///
  /// Setting it changes the world at once: devices that stay keep their links, those that are gone lose them, and a
  /// running scan sees the difference. Of devices with one identifier the first counts.
  public var configuration: MockConfiguration {
    get { currentConfiguration }
    set { apply(newValue) }
  }

  func apply(_ new: MockConfiguration) {
    let old = currentConfiguration
    currentConfiguration = new
    // What the world says of itself concerns every device.
    let isOtherWorld = old.behavior != new.behavior || old.scriptFolder != new.scriptFolder
    setFaults(new.faults)
    var wanted: [PeripheralIdentifier: MockDevice] = [:]
    for device in new.devices where wanted[device.id] == nil { wanted[device.id] = device }
    let gone = configured.keys.filter { wanted[$0] == nil }
    for id in gone { configured[id] = nil }
    remove(Set(gone))
    for device in new.devices {
      guard let device = wanted.removeValue(forKey: device.id) else { continue }
      if let peripheral = configured[device.id] {
        if isOtherWorld || peripheral.configured != device {
          peripheral.update(to: device, in: new, isRunning: isRunning)
        }
      } else {
        let peripheral = ConfiguredPeripheral(device)
        configured[device.id] = peripheral
        peripheral.update(to: device, in: new, isRunning: false)
        add(peripheral)
        if isRunning { peripheral.begin() }
      }
    }
  }

  private func setFaults(_ new: [ConfiguredFault]) {
    guard new != currentFaults else { return }
    currentFaults = new
    faults.clear()
    for fault in new { faults.add(fault.rule, excluding: fault.excluded) }
  }

  public func configuredPeripheral(_ id: PeripheralIdentifier) -> ConfiguredPeripheral? { configured[id] }
}
