import BridgeIO
public import BridgeProtocol
public import Radio

extension VirtualRadio: MockRadio {
  /// The devices of the world, but for those added otherwise.
  ///
  /// Setting it changes the world at once: devices that stay keep their links, those that are gone lose them, and a
  /// running scan sees the difference. Of devices with one identifier the first counts.
  public var configuration: MockConfiguration {
    get { currentConfiguration }
    set { apply(newValue) }
  }

  func apply(_ new: MockConfiguration) {
    currentConfiguration = new
    var wanted: [PeripheralIdentifier: MockDevice] = [:]
    for device in new.devices where wanted[device.id] == nil { wanted[device.id] = device }
    let gone = configured.keys.filter { wanted[$0] == nil }
    for id in gone { configured[id] = nil }
    remove(Set(gone))
    for device in new.devices {
      guard let device = wanted.removeValue(forKey: device.id) else { continue }
      if let peripheral = configured[device.id] {
        peripheral.update(to: device)
      } else {
        let peripheral = ConfiguredPeripheral(device)
        configured[device.id] = peripheral
        add(peripheral)
      }
    }
  }

  public func configuredPeripheral(_ id: PeripheralIdentifier) -> ConfiguredPeripheral? { configured[id] }
}
