import BridgeIO
public import BridgeProtocol
public import Radio

// Requests on a live link go to its GATT client; without a link they fail, after the call has returned.

extension BlueZRadio {
  private func refuse<Value>(_ error: BluetoothError, _ completion: @escaping RadioCompletion<Value>) {
    BridgeQueue.atEndOfTurn { completion(.failure(error)) }
  }

  public func discoverServices(
    of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<GATTDatabase>
  ) {
    guard let gatt = devices[peripheral]?.gatt else { return refuse(.notConnected, completion) }
    gatt.discoverServices(completion: completion)
  }

  public func read(
    _ attribute: AttributeHandle, of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<[UInt8]>
  ) {
    guard let gatt = devices[peripheral]?.gatt else { return refuse(.notConnected, completion) }
    gatt.read(attribute, completion: completion)
  }

  public func write(
    _ value: [UInt8], to attribute: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let gatt = devices[peripheral]?.gatt else { return refuse(.notConnected, completion) }
    gatt.write(value, to: attribute, completion: completion)
  }

  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let gatt = devices[peripheral]?.gatt else { return refuse(.notConnected, completion) }
    gatt.writeWithoutResponse(value, to: characteristic, completion: completion)
  }

  public func canSendWriteWithoutResponse(to peripheral: PeripheralIdentifier) -> Bool {
    devices[peripheral]?.gatt?.canSendWriteWithoutResponse ?? false
  }

  public func maximumWriteLength(of peripheral: PeripheralIdentifier) -> Int {
    devices[peripheral]?.gatt?.maximumWriteLength ?? 20
  }

  public func setNotify(
    _ enabled: Bool, characteristic: AttributeHandle, of peripheral: PeripheralIdentifier,
    completion: @escaping RadioCompletion<Void>
  ) {
    guard let gatt = devices[peripheral]?.gatt else { return refuse(.notConnected, completion) }
    gatt.setNotify(enabled, characteristic: characteristic, completion: completion)
  }

  public func readRSSI(of peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<Int>) {
    guard let record = devices[peripheral], record.gatt != nil, let index = adapterIndex else {
      return refuse(.notConnected, completion)
    }
    let completion = record.untilLinkEnds(completion)
    ConnectionRSSI.read(adapterIndex: index, peer: record.address) { result in
      if case .failure = result, let advertised = record.object?.rssi {
        completion(.success(advertised))
      } else {
        completion(result)
      }
    }
  }

  public func openL2CAPChannel(
    psm: UInt16, to peripheral: PeripheralIdentifier, completion: @escaping RadioCompletion<any RadioL2CAPChannel>
  ) {
    guard let record = devices[peripheral], record.gatt != nil, let own = adapter.current?.bluetoothAddress else {
      return refuse(.notConnected, completion)
    }
    L2CAPSocket.open(
      adapter: own, peer: record.address, psm: psm, completion: record.untilLinkEnds(completion) { $0.close() })
  }

  private var adapterIndex: UInt16? { adapter.current?.index.flatMap { UInt16(exactly: $0) } }
}
