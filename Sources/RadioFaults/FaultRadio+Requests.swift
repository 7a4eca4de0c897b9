import BridgeIO
public import BridgeProtocol
public import Radio

extension FaultRadio {
  /// Does one request as the plan says: later, not at all, with another result.
  private func request<Value>(
    _ operation: FaultOperation, _ attribute: AttributeHandle? = nil, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Value>,
    perform: @escaping @BridgeQueue (@escaping RadioCompletion<Value>) -> Void
  ) {
    // Without a link there is nothing to go wrong: the radio refuses it.
    guard let link = links[peripheral], !link.isReleased else { return perform(completion) }
    let verdict = verdict(operation, peripheral, attribute)
    let cancel: @BridgeQueue (BluetoothError) -> Void = { completion(.failure($0)) }
    let answer: RadioCompletion<Value> = { [self] result in
      let result = result.mapError { link.dropReason != nil && $0 == .operationCancelled ? link.endingError : $0 }
      link.events.pass(cancel: cancel) { [self] in
        completion(result)
        conclude(verdict, link)
      }
    }
    link.requests.pass(after: verdict.delay, cancel: cancel) { [self] in
      if verdict.isLost {
        lose(link, cancel)
        conclude(verdict, link)
      } else if let error = verdict.error {
        BridgeQueue.async { answer(.failure(error)) }
      } else {
        perform(answer)
      }
    }
  }

  // MARK: Discovery

  public func discoverServices(
    of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>
  ) {
    let link = links[peripheral]
    let noting: RadioCompletion<GATTDatabase> = { result in
      if case .success(let database) = result { link?.database = database }
      completion(result)
    }
    guard isInterfering else { return radio.discoverServices(of: peripheral, completion: noting) }
    request(.discoverServices, of: peripheral, completion: noting) { [self] in
      radio.discoverServices(of: peripheral, completion: $0)
    }
  }

  public func holdsDiscovery(
    _ step: DiscoveryStep, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Void>
  ) -> Bool {
    guard isInterfering else { return radio.holdsDiscovery(step, of: peripheral, completion: completion) }
    request(step.operation, step.attribute, of: peripheral, completion: completion) { [self] completion in
      if !radio.holdsDiscovery(step, of: peripheral, completion: completion) {
        BridgeQueue.async { completion(.success(())) }
      }
    }
    return true
  }

  // MARK: Values

  public func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    guard isInterfering else { return radio.read(attribute, of: peripheral, completion: completion) }
    let isDescriptor = links[peripheral]?.names(of: attribute).descriptor != nil
    request(isDescriptor ? .readDescriptor : .read, attribute, of: peripheral, completion: completion) { [self] in
      radio.read(attribute, of: peripheral, completion: $0)
    }
  }

  public func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard isInterfering else { return radio.write(value, to: attribute, of: peripheral, completion: completion) }
    let isDescriptor = links[peripheral]?.names(of: attribute).descriptor != nil
    request(isDescriptor ? .writeDescriptor : .write, attribute, of: peripheral, completion: completion) { [self] in
      radio.write(value, to: attribute, of: peripheral, completion: $0)
    }
  }

  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard isInterfering else {
      return radio.writeWithoutResponse(value, to: characteristic, of: peripheral, completion: completion)
    }
    request(.writeWithoutResponse, characteristic, of: peripheral, completion: completion) { [self] in
      radio.writeWithoutResponse(value, to: characteristic, of: peripheral, completion: $0)
    }
  }

  public func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    let link = links[peripheral]
    let noting: RadioCompletion<Void> = { result in
      if case .success = result {
        if enabled { link?.notifying.insert(characteristic) } else { link?.notifying.remove(characteristic) }
      }
      completion(result)
    }
    guard isInterfering else {
      return radio.setNotify(enabled, characteristic: characteristic, of: peripheral, completion: noting)
    }
    request(.setNotify, characteristic, of: peripheral, completion: noting) { [self] in
      radio.setNotify(enabled, characteristic: characteristic, of: peripheral, completion: $0)
    }
  }

  public func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>) {
    guard isInterfering else { return radio.readRSSI(of: peripheral, completion: completion) }
    request(.readRSSI, of: peripheral, completion: completion) { [self] in
      radio.readRSSI(of: peripheral, completion: $0)
    }
  }

  public func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) {
    guard isInterfering else { return radio.openL2CAPChannel(psm: psm, to: peripheral, completion: completion) }
    request(.openL2CAP, of: peripheral, completion: completion) { [self] in
      radio.openL2CAPChannel(psm: psm, to: peripheral, completion: $0)
    }
  }
}

extension DiscoveryStep {
  fileprivate var operation: FaultOperation {
    switch self {
    case .includedServices: .discoverIncludedServices
    case .characteristics: .discoverCharacteristics
    case .descriptors: .discoverDescriptors
    }
  }
}
