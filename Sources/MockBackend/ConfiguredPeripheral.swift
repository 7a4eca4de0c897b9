public import BridgeIO
public import BridgeProtocol
public import Radio

/// A virtual peripheral as a configuration describes it.
@BridgeQueue
public final class ConfiguredPeripheral: VirtualPeripheral {
  public nonisolated let id: PeripheralIdentifier
  public weak var radio: VirtualRadio?
  /// As it is now: what its script has made of the configuration's.
  public private(set) var device: MockDevice
  /// As the configuration has it.
  private(set) var configured: MockDevice
  private var script: DeviceScript?
  public private(set) var services: [VirtualService]
  public private(set) var advertisement: AdvertisementData?
  /// What clients have written, by handle, and scripts have set.
  private var values: [AttributeHandle: StoredValue] = [:]

  private struct StoredValue {
    var bytes: [UInt8]
    var lifetime: MockValueLifetime
  }

  public init(_ device: MockDevice) {
    id = device.id
    self.device = device
    configured = device
    services = device.virtualServices
    advertisement = device.advertisement
  }

  public var name: String? { device.name }
  public var rssi: Int { script?.nextRSSI() ?? device.rssi }
  public var advertisingInterval: Duration? { script?.advertisingInterval }
  public var isReachable: Bool { script?.isReachable ?? true }
  public var isConnectable: Bool { device.isConnectable }
  public var maximumMTU: Int { device.mtu ?? 517 }
  public var pairing: VirtualPairing {
    VirtualPairing(mode: device.pairingMode, passkey: device.passkey, entry: device.passkeyEntry)
  }

  // MARK: Changing

  /// The device of a configuration with this identifier, and what the configuration says of it.
  func update(to new: MockDevice, in configuration: MockConfiguration, isRunning: Bool) {
    configured = new
    script?.stop()
    script = DeviceScript(new, of: self, in: configuration)
    show(script?.firstDevice ?? new)
    if isRunning { begin() }
  }

  /// The world is on.
  func begin() {
    script?.begin()
    guard let radio, radio.isConnected(id) else { return }
    script?.didConnect()
    for attribute in attributes where radio.subscription(to: attribute.handle, of: id) != .none {
      script?.didSubscribe(true, to: attribute)
    }
  }

  /// Makes it the device that is given.
  func show(_ new: MockDevice) {
    guard new != device else { return }
    let old = device
    device = new
    if new.advertisement != advertisement {
      advertisement = new.advertisement
      radio?.advertisementChanged(id)
    }
    if new.mtu != old.mtu { radio?.maximumMTUChanged(id) }
    if new.name != old.name { radio?.nameChanged(id) }
    if new.l2cap != old.l2cap { radio?.l2capServicesChanged(id) }
    let newServices = new.virtualServices
    if newServices != services {
      services = newServices
      radio?.servicesChanged(id)
    }
    forgetOutdatedValues(old)
  }

  /// A written value counts no more where the attribute is gone or the configuration says something new.
  private func forgetOutdatedValues(_ old: MockDevice) {
    guard let radio else { return }
    let keepsWritten = radio.options.compatibility == .impossible
    values = values.filter { handle, _ in
      guard let attribute = radio.attribute(handle, of: id) else { return false }
      return keepsWritten || device.value(at: attribute.place) == old.value(at: attribute.place)
    }
  }

  /// Back to what the configuration says; its script stands still.
  func reset() {
    script?.stop()
    values = [:]
  }

  public func didConnect() { script?.didConnect() }

  public func didDisconnect() {
    values = values.filter { $0.value.lifetime == .untilTeardown }
    script?.didDisconnect()
  }

  public func setNotify(
    _ subscription: VirtualSubscription, _ characteristic: VirtualAttribute,
    completion: @escaping RadioCompletion<Void>
  ) {
    completion(.success(()))
    script?.didSubscribe(subscription != .none, to: characteristic)
  }

  public func isReadyToNotify() { script?.isReadyToNotify() }

  // MARK: Values

  /// The whole value that a read gives.
  public func value(of attribute: VirtualAttribute) -> [UInt8] {
    values[attribute.handle]?.bytes ?? device.value(at: attribute.place) ?? []
  }

  /// Replies to writes that wait for their time.
  var pendingReplies: Int { script?.pendingReplies ?? 0 }

  /// Replaces a value until the world is torn down; nobody is notified.
  public func setValue(_ value: [UInt8], of attribute: VirtualAttribute) {
    values[attribute.handle] = StoredValue(bytes: value, lifetime: .untilTeardown)
  }

  /// In the order of handles.
  public var attributes: [VirtualAttribute] { radio?.attributes(of: id) ?? [] }

  /// Sends a notification or indication to the central, if it has subscribed; what a read gives stays as it is.
  ///
  /// - Returns: false if too many wait: nothing is sent then, and `isReadyToNotify` is called when there is room.
  @discardableResult
  public func notify(_ value: [UInt8], _ characteristic: VirtualAttribute) -> Bool {
    radio?.notify(value, characteristic: characteristic.handle, of: id) ?? true
  }

  public func read(_ attribute: VirtualAttribute, offset: Int, completion: @escaping RadioCompletion<[UInt8]>) {
    // Further pieces are of the value that the first was of.
    if offset == 0, let script = script?.script(of: attribute), script.computesReads {
      return script.computeRead { [weak self] result in
        if case .success(let value) = result { self?.setValue(value, of: attribute) }
        completion(result)
      }
    }
    let value = value(of: attribute)
    if offset == 0 { return completion(.success(value)) }
    // It has become shorter meanwhile.
    completion(offset > value.count ? .failure(.attribute(0x07)) : .success(Array(value[offset...])))
  }

  public func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>
  ) {
    let characteristic = script?.script(of: attribute)
    let reply = characteristic?.reply(to: value)
    if let error = reply?.reject { return completion(.failure(error)) }
    let lifetime = reply?.stores == false ? .none : device.lifetime(at: attribute.place)
    if lifetime != .none { values[attribute.handle] = StoredValue(bytes: value, lifetime: lifetime) }
    completion(.success(()))
    if let reply { characteristic?.follow(reply, written: value) }
  }

  // MARK: L2CAP

  private func l2capService(_ psm: UInt16) -> MockL2CAPService? { device.l2cap.first { $0.psm == Int(psm) } }

  public func securityOfL2CAPChannel(psm: UInt16) -> MockSecurityLevel? {
    l2capService(psm).map { $0.security ?? .none }
  }

  public func openL2CAPChannel(psm: UInt16, completion: @escaping RadioCompletion<VirtualChannel>) {
    guard let service = l2capService(psm) else { return completion(.failure(.connectionFailed)) }
    let (central, own) = VirtualChannel.pair(psm: psm)
    switch service.kind {
    case .echo: EchoEnd.serve(own)
    case .stream: StreamEnd.serve(own, service)
    case .socket:
      do throws(SocketError) { try SocketEnd.serve(own, path: service.path) } catch {
        Log.notice("mock", "\(device.name): \(error)")
        return completion(.failure(BluetoothError.connectionFailed.saying(error.description)))
      }
    }
    completion(.success(central))
  }
}
