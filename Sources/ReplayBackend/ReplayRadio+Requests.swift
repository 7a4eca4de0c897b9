import BridgeIO
public import BridgeProtocol
public import Radio

extension ReplayRadio {
  public func discoverServices(
    of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>
  ) {
    let known = self.peripheral(peripheral)
    known.request(.discoverServices, nil) { result in completion(result.map { _ in known.table.database }) }
  }

  /// What the recorded client did not discover, nobody knows.
  public func holdsDiscovery(
    _ step: DiscoveryStep, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Void>
  ) -> Bool {
    guard let error = self.peripheral(peripheral).refusal(of: step) else { return false }
    BridgeQueue.async { completion(.failure(error)) }
    return true
  }

  public func refusal(ofUnknown id: String, of peripheral: PeripheralIdentifier) -> BluetoothError? {
    script.story.refusedIDs.contains(id) ? nil : script.differ(asked: "a request for the attribute \(id.prefix(160))")
  }

  public func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    self.peripheral(peripheral).request(.read, attribute) { result in
      completion(result.map { if case .value(let value) = $0 { value } else { [] } })
    }
  }

  public func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    self.peripheral(peripheral).request(.write, attribute, value: value) { completion($0.map { _ in }) }
  }

  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    self.peripheral(peripheral).request(.writeWithoutResponse, characteristic, value: value) {
      completion($0.map { _ in })
    }
  }

  public func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool {
    self.peripheral(peripheral).canSend
  }

  public func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int { self.peripheral(peripheral).writeLength }

  public func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    self.peripheral(peripheral).request(.setNotify(enabled), characteristic) { completion($0.map { _ in }) }
  }

  public func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>) {
    self.peripheral(peripheral).request(.readRSSI, nil) { result in
      completion(result.map { if case .rssi(let rssi) = $0 { rssi } else { 127 } })
    }
  }

  public func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) {
    let known = self.peripheral(peripheral)
    known.request(.openChannel(psm: psm), nil) { result in
      switch result {
      case .success(.channel(let recorded)): completion(.success(known.add(recorded)))
      case .success: completion(.failure(.unknown))
      case .failure(let error): completion(.failure(error))
      }
    }
  }
}
