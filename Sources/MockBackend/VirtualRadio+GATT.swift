import BridgeIO
public import BridgeProtocol
public import Radio

// Requests on a live link go into its queue; without a link they fail, after the call has returned.

extension VirtualRadio {
  private func link(_ peripheral: PeripheralIdentifier) -> VirtualLink? {
    guard let link = device(peripheral)?.link, link.state == .connected else { return nil }
    return link
  }

  private func refuse<Value>(_ completion: @escaping RadioCompletion<Value>) {
    deliveries.add { completion(.failure(.notConnected)) }
  }

  public func discoverServices(
    of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.submit(.discover(completion))
  }

  public func holdsDiscovery(
    _ step: DiscoveryStep, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Void>
  ) -> Bool {
    guard let error = link(peripheral)?.device.peripheral.refusal(of: step) else { return false }
    deliveries.add { completion(.failure(error)) }
    return true
  }

  public func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.submit(.read(attribute, completion))
  }

  public func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.submit(.write(value, attribute, completion))
  }

  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.submit(.command(value, characteristic, completion))
  }

  public func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool {
    link(peripheral)?.canSendCommand ?? false
  }

  public func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int {
    link(peripheral)?.maximumWriteLength ?? 20
  }

  public func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.submit(.subscribe(enabled, characteristic, completion))
  }

  public func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>) {
    guard let link = link(peripheral) else { return refuse(completion) }
    link.device.peripheral.readRSSI(completion: link.untilEnd(completion))
  }

  public func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) {
    guard let link = link(peripheral) else { return refuse(completion) }
    guard options.compatibility == .hardware else {
      let error = BluetoothError.operationNotSupported.saying("L2CAP is not supported in mock mode")
      return deliveries.add { completion(.failure(error)) }
    }
    // LE has no PSM above.
    guard 1...0xFF ~= psm else { return deliveries.add { completion(.failure(.invalidParameters)) } }
    link.openChannel(psm: psm, completion)
  }

  // MARK: From peripherals

  /// Sends a notification or indication to the central, if it has subscribed; cut to what fits.
  ///
  /// - Returns: false if too many wait: nothing is sent then, and `isReadyToNotify` is called when there is room.
  @discardableResult
  public func notify(
    _ value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) -> Bool {
    link(peripheral)?.notify(value, characteristic) ?? true
  }

  /// A peripheral agrees to another MTU.
  public func maximumMTUChanged(_ id: PeripheralIdentifier) {
    guard let link = link(id), link.exchangeMTU() else { return }
    deliveries.add { [self] in observer?.radio(self, didUpdateMaximumWriteLengthOf: id) }
  }

  /// What the central has subscribed to.
  public func subscription(to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier)
    -> VirtualSubscription
  {
    link(peripheral)?.subscriptions[characteristic] ?? .none
  }

  /// Bytes that one notification can carry.
  public func maximumNotificationLength(of peripheral: PeripheralIdentifier) -> Int {
    maximumWriteLength(of: peripheral)
  }

  /// A peripheral's attributes in the order of handles.
  public func attributes(of peripheral: PeripheralIdentifier) -> [VirtualAttribute] {
    device(peripheral)?.table.all ?? []
  }

  public func attribute(at place: VirtualAttribute.Place, of peripheral: PeripheralIdentifier) -> VirtualAttribute? {
    device(peripheral)?.table.attribute(at: place)
  }

  public func attribute(_ handle: AttributeHandle, of peripheral: PeripheralIdentifier) -> VirtualAttribute? {
    device(peripheral)?.table[handle]
  }

  /// A peripheral has other services: those that stay as they were keep their handles.
  /// Its channels to where nothing listens any more are closed.
  func l2capServicesChanged(_ id: PeripheralIdentifier) { device(id)?.link?.closeOrphanedChannels() }

  public func servicesChanged(_ id: PeripheralIdentifier) {
    guard let device = device(id) else { return }
    let removed = device.replaceTable()
    guard let link = device.link, link.state == .connected else { return }
    link.tableChanged()
    deliveries.add { [self] in observer?.radio(self, didModifyServices: removed, of: id) }
  }
}
