public import BridgeIO
public import BridgeProtocol
public import Radio

/// A virtual peripheral as a configuration describes it.
@BridgeQueue
public final class ConfiguredPeripheral: VirtualPeripheral {
  public nonisolated let id: PeripheralIdentifier
  public weak var radio: VirtualRadio?
  public private(set) var device: MockDevice
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
    services = device.virtualServices
    advertisement = device.advertisement
  }

  public var name: String? { device.name }
  public var rssi: Int { device.rssi }
  public var isConnectable: Bool { device.isConnectable }
  public var maximumMTU: Int { device.mtu ?? 517 }
  public var pairing: VirtualPairing { VirtualPairing(mode: device.pairingMode, passkey: device.passkey) }

  // MARK: Changing

  /// The device of another configuration with this identifier.
  func update(to new: MockDevice) {
    guard new != device else { return }
    let old = device
    device = new
    if new.advertisement != advertisement {
      advertisement = new.advertisement
      radio?.advertisementChanged(id)
    }
    if new.mtu != old.mtu { radio?.maximumMTUChanged(id) }
    if new.name != old.name { radio?.nameChanged(id) }
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

  /// Back to what the configuration says.
  func reset() { values = [:] }

  public func didDisconnect() { values = values.filter { $0.value.lifetime == .untilTeardown } }

  // MARK: Values

  /// The whole value that a read gives.
  public func value(of attribute: VirtualAttribute) -> [UInt8] {
    values[attribute.handle]?.bytes ?? device.value(at: attribute.place) ?? []
  }

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
    let value = value(of: attribute)
    if offset == 0 { return completion(.success(value)) }
    // It has become shorter meanwhile.
    completion(offset > value.count ? .failure(.attribute(0x07)) : .success(Array(value[offset...])))
  }

  public func write(
    _ value: [UInt8], to attribute: VirtualAttribute, withResponse: Bool, completion: @escaping RadioCompletion<Void>
  ) {
    let lifetime = device.lifetime(at: attribute.place)
    if lifetime != .none { values[attribute.handle] = StoredValue(bytes: value, lifetime: lifetime) }
    completion(.success(()))
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
