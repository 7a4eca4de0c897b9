import BridgeIO
public import BridgeProtocol
import Radio

extension VirtualRadio {
  public func connect(_ peripheral: PeripheralIdentifier) {
    guard let device = device(peripheral) else {
      return deliveries.add { [self] in observer?.radio(self, didFailToConnect: peripheral, error: .unknownDevice) }
    }
    if let link = device.link {
      if link.state == .connected { tellConnected(device) }
      return
    }
    let link = VirtualLink(to: device, of: self)
    device.link = link
    // Who cannot be heard is waited for.
    if device.peripheral.isReachable { establish(link) }
  }

  private func establish(_ link: VirtualLink) {
    let device = link.device
    guard device.peripheral.isConnectable else {
      return fail(device, BluetoothError.connectionFailed.saying("Device not connectable"))
    }
    link.state = .connecting
    device.peripheral.connect { [self] result in
      guard device.link === link, link.state == .connecting else { return }
      switch result {
      case .success:
        link.connected()
        device.wasConnected = true
        let id = device.peripheral.id
        deliveries.add { [self] in observer?.radio(self, connectionEvent: true, for: id) }
        tellConnected(device)
        if device.reportedName != nil { tellName(of: device) }
      case .failure(let error): fail(device, error)
      }
    }
  }

  private func tellConnected(_ device: VirtualDevice) {
    let id = device.peripheral.id
    device.reportedName = device.reportedName ?? device.name
    deliveries.add { [self] in observer?.radio(self, didConnect: id) }
  }

  /// An attempt at a link has failed.
  func fail(_ device: VirtualDevice, _ error: BluetoothError) {
    let id = device.peripheral.id
    device.link?.end(error)
    device.link = nil
    deliveries.add { [self] in observer?.radio(self, didFailToConnect: id, error: error) }
  }

  public func disconnect(_ peripheral: PeripheralIdentifier) {
    guard let link = device(peripheral)?.link else {
      return deliveries.add { [self] in observer?.radio(self, didDisconnect: peripheral, error: nil) }
    }
    end(link, nil)
  }

  /// Ends a link or an attempt at one; nil if it was asked for.
  func end(_ link: VirtualLink, _ error: BluetoothError?) {
    guard link.device.link === link else { return }
    let (id, wasConnected) = (link.id, link.state == .connected)
    link.end(error == nil ? .operationCancelled : .peripheralDisconnected)
    link.device.link = nil
    if options.compatibility == .impossible { bonds[id] = nil }
    deliveries.add { [self] in
      if wasConnected { observer?.radio(self, connectionEvent: false, for: id) }
      observer?.radio(self, didDisconnect: id, error: error)
    }
  }

  /// A peripheral ends its link.
  ///
  /// - Parameter error: `.peripheralDisconnected` if it closed it, `.connectionTimeout` if it went out of range.
  public func dropLink(of id: PeripheralIdentifier, _ error: BluetoothError = .peripheralDisconnected) {
    guard let link = device(id)?.link, link.state == .connected else { return }
    end(link, error)
  }

  /// A peripheral has come into range, or has gone out of it: then its link is lost.
  public func reachabilityChanged(_ id: PeripheralIdentifier) {
    guard let device = device(id), let link = device.link else { return }
    if !device.peripheral.isReachable {
      dropLink(of: id, .connectionTimeout)
    } else if link.state == .waiting {
      establish(link)
    }
  }

  public func enterPasskey(_ text: String?, of id: PeripheralIdentifier?) -> Int {
    // Typing goes on with requests, which may change links.
    let links = peripherals.compactMap { device($0.id)?.link }
    return links.count { (id == nil || $0.id == id) && $0.enterPasskey(text) }
  }

  /// Forgets the keys that a peripheral was paired with.
  public func removeBond(with id: PeripheralIdentifier) { bonds[id] = nil }
}
