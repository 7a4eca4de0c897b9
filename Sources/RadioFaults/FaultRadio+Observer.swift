import BridgeIO
public import BridgeProtocol
public import Radio

extension FaultRadio: RadioObserver {
  public func radioDidUpdateState(_ radio: any Radio) {
    if radio.state != .poweredOn { forgetAll(.peripheralDisconnected) }
    observer?.radioDidUpdateState(self)
  }

  public func radio(_ radio: any Radio, didReceive advertisement: Advertisement) {
    guard isInterfering else {
      observer?.radio(self, didReceive: advertisement)
      return
    }
    let peripheral = advertisement.peripheral
    let verdict = verdict(.advertisement, peripheral)
    guard !verdict.isLost else { return }
    let line = advertisements[peripheral]
    if verdict.delay == .zero, line?.isEmpty ?? true {
      observer?.radio(self, didReceive: advertisement)
      return
    }
    guard mayHold(after: verdict.delay, line) else { return }
    let waiting = line ?? DeliveryLine(held, limit: Self.heldAdvertisements)
    advertisements[peripheral] = waiting
    waiting.pass(after: verdict.delay) { [self] in
      if waiting.isEmpty { advertisements[peripheral] = nil }
      observer?.radio(self, didReceive: advertisement)
    }
  }

  /// Of one peripheral; when more are held back, the oldest are lost.
  private static let heldAdvertisements = 256
  /// Of all together, answers included: what comes past it unasked is lost.
  private static let heldLimit = 32768

  /// Whether there is room to hold back what a peripheral says unasked.
  private func mayHold(after delay: Duration, _ line: DeliveryLine?) -> Bool {
    if held.count < Self.heldLimit || delay == .zero && line?.isEmpty != false { return true }
    if !hasToldLosses { Log.notice("fault", "\(held.count) reports are held back, further ones are lost") }
    hasToldLosses = true
    return false
  }

  // MARK: Links

  public func radio(_ radio: any Radio, didConnect peripheral: PeripheralIdentifier) {
    let link = FaultLink(peripheral, held)
    links[peripheral] = link
    observer?.radio(self, didConnect: peripheral)
    for plan in [plan, ownPlan] where plan?.isActive == true {
      for (fault, verdict) in plan?.linkFaults(of: peripheral, name: { radio.name(of: peripheral) }) ?? [] {
        strike(link, with: fault, verdict)
      }
    }
  }

  public func radio(_ radio: any Radio, didFailToConnect peripheral: PeripheralIdentifier, error: BluetoothError) {
    observer?.radio(self, didFailToConnect: peripheral, error: error)
  }

  public func radio(_ radio: any Radio, didDisconnect peripheral: PeripheralIdentifier, error: BluetoothError?) {
    guard let link = links.removeValue(forKey: peripheral) else {
      observer?.radio(self, didDisconnect: peripheral, error: error)
      return
    }
    link.end()
    link.failRequests(link.endingError)
    let reason = link.isReleased ? error : link.dropReason ?? error
    // What is held back is for nobody then, and the next link must not wait for it.
    if link.isReleased { link.events.cancel(link.endingError) }
    if !link.events.isEmpty { ending[peripheral] = link }
    link.events.pass { [self] in
      if ending[peripheral] === link { ending[peripheral] = nil }
      // Who let go while this was held back gets what they asked for.
      observer?.radio(self, didDisconnect: peripheral, error: link.isReleased ? nil : reason)
    }
  }

  public func radio(_ radio: any Radio, connectionEvent isConnected: Bool, for peripheral: PeripheralIdentifier) {
    observer?.radio(self, connectionEvent: isConnected, for: peripheral)
  }

  public func radio(_ radio: any Radio, didLearnServicesOf peripheral: PeripheralIdentifier) {
    observer?.radio(self, didLearnServicesOf: peripheral)
  }

  public func radio(_ radio: any Radio, didUpdateName name: String, of peripheral: PeripheralIdentifier) {
    observer?.radio(self, didUpdateName: name, of: peripheral)
  }

  // MARK: GATT

  public func radio(
    _ radio: any Radio, didModifyServices removed: [AttributeHandle], of peripheral: PeripheralIdentifier
  ) {
    let link = links[peripheral]
    link?.database = nil
    pass(link) { [self] in observer?.radio(self, didModifyServices: removed, of: peripheral) }
  }

  public func radio(
    _ radio: any Radio, didNotify value: [UInt8], characteristic: AttributeHandle, of peripheral: PeripheralIdentifier
  ) {
    guard isInterfering, let link = links[peripheral] else {
      observer?.radio(self, didNotify: value, characteristic: characteristic, of: peripheral)
      return
    }
    let verdict = verdict(.notification, peripheral, characteristic)
    guard !verdict.isLost, mayHold(after: verdict.delay, link.events) else { return conclude(verdict, link) }
    link.events.pass(after: verdict.delay) { [self] in
      observer?.radio(self, didNotify: value, characteristic: characteristic, of: peripheral)
      conclude(verdict, link)
    }
  }

  public func radio(_ radio: any Radio, canTakeNotificationsOf peripheral: PeripheralIdentifier) -> Bool {
    observer?.radio(self, canTakeNotificationsOf: peripheral) ?? true
  }

  public func radio(_ radio: any Radio, isReadyToWriteWithoutResponse peripheral: PeripheralIdentifier) {
    pass(links[peripheral]) { [self] in observer?.radio(self, isReadyToWriteWithoutResponse: peripheral) }
  }

  public func radio(_ radio: any Radio, didUpdateMaximumWriteLengthOf peripheral: PeripheralIdentifier) {
    pass(links[peripheral]) { [self] in observer?.radio(self, didUpdateMaximumWriteLengthOf: peripheral) }
  }

  private func pass(_ link: FaultLink?, _ body: @escaping @BridgeQueue () -> Void) {
    if let link { link.events.pass(body) } else { body() }
  }
}
