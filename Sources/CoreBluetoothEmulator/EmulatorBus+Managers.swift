public import CoreBluetooth

// The bus as the design describes it: each of these is the manager's or peripheral's own method.

extension EmulatorBus {
  /// Managers are on the bus from their making; this only makes sure that it is in use.
  public func register(central: EmulatedCBCentralManager) { use() }

  /// Managers are on the bus from their making; this only makes sure that it is in use.
  public func register(peripheral: EmulatedCBPeripheralManager) { use() }

  /// The manager goes off the air for good.
  public func unregister(central: EmulatedCBCentralManager) { terminate(central) }

  /// The manager goes off the air for good: its centrals are disconnected.
  public func unregister(peripheral: EmulatedCBPeripheralManager) { terminate(peripheral) }

  public func startScanning(central: EmulatedCBCentralManager, services: [CBUUID]?) {
    central.scanForPeripherals(withServices: services)
  }

  public func stopScanning(central: EmulatedCBCentralManager) { central.stopScan() }

  public func startAdvertising(peripheral: EmulatedCBPeripheralManager, data: [String: Any]) {
    peripheral.startAdvertising(data)
  }

  public func stopAdvertising(peripheral: EmulatedCBPeripheralManager) { peripheral.stopAdvertising() }

  public func connect(central: EmulatedCBCentralManager, peripheral: EmulatedCBPeripheral) {
    central.connect(peripheral)
  }

  public func disconnect(central: EmulatedCBCentralManager, peripheral: EmulatedCBPeripheral) {
    central.cancelPeripheralConnection(peripheral)
  }

  public func sendNotification(
    from peripheral: EmulatedCBPeripheralManager, value: Data, characteristic: EmulatedCBMutableCharacteristic,
    centrals: [EmulatedCBCentral]?
  ) -> Bool { peripheral.updateValue(value, for: characteristic, onSubscribedCentrals: centrals) }

  public func sendRead(from central: EmulatedCBPeripheral, characteristic: EmulatedCBCharacteristic) {
    central.readValue(for: characteristic)
  }

  public func sendWrite(
    from central: EmulatedCBPeripheral, value: Data, characteristic: EmulatedCBCharacteristic,
    type: CBCharacteristicWriteType = .withResponse
  ) { central.writeValue(value, for: characteristic, type: type) }

  public func sendResponse(
    from peripheral: EmulatedCBPeripheralManager, to request: EmulatedCBATTRequest,
    result: CBATTError.Code = .success
  ) { peripheral.respond(to: request, withResult: result) }
}
