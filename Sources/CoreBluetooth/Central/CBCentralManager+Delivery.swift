import BridgeIO
import BridgeProtocol
import CCoreBluetooth
import Foundation

// What the service reports: on the app's queue, the state first, then the delegate.
extension CBCentralManager {
  /// - Parameter lost: connections that ended because the service went, of which the app is told.
  func didUpdateState(_ new: AdapterState, lost: [PeripheralLink]) {
    set(state: CBManagerState(rawValue: new.rawValue)!)
    var ended: [CBPeripheral] = []
    if new != .poweredOn {
      ended = lost.compactMap { link in link.peripheral.object.flatMap { $0.didEnd(link) == nil ? nil : $0 } }
      endScan()
      for peripheral in peripherals.all { peripheral.reset() }
    }
    delegate?.centralManagerDidUpdateState(self)
    for peripheral in ended {
      tellDisconnected(peripheral, DidDisconnect(id: peripheral.wireIdentifier, error: .serviceLost))
    }
  }

  func willRestore(
    _ state: DidRestoreState, _ restored: [(peripheral: CBPeripheral, link: PeripheralLink, held: RestoredPeripheral)]
  ) {
    for (peripheral, link, held) in restored { peripheral.restore(link, held) }
    var dictionary: [String: Any] = [:]
    if !restored.isEmpty { dictionary[CBCentralManagerRestoredStatePeripheralsKey] = restored.map(\.peripheral) }
    if state.isScanning {
      if !state.scanServices.isEmpty {
        dictionary[CBCentralManagerRestoredStateScanServicesKey] = state.scanServices.map { CBUUID($0) }
      }
      dictionary[CBCentralManagerRestoredStateScanOptionsKey] = state.scanOptions
    }
    delegate?.centralManager(self, willRestoreState: dictionary)
  }

  func didDiscover(_ report: DidDiscover, scan number: Int) {
    guard isRunning(scan: number) else { return }
    let peripheral = peripherals.peripheral(report.id, of: self)
    let isRenamed = peripheral.update(name: report.name.isEmpty ? report.advertisement.localName ?? "" : report.name)
    if isRenamed { peripheral.delegate?.peripheralDidUpdateName(peripheral) }
    delegate?.centralManager(
      self, didDiscover: peripheral, advertisementData: report.advertisement.appDictionary(report.spelling),
      rssi: NSNumber(value: report.rssi))
  }

  func didUpdate(_ update: DidUpdateName) {
    guard let peripheral = peripherals.known(update.id) else { return }
    let former = peripheral.name
    _ = peripheral.update(name: update.name)
    if peripheral.name != former { peripheral.delegate?.peripheralDidUpdateName(peripheral) }
  }

  func didOccur(_ event: ConnectionEvent) {
    let peripheral = peripherals.peripheral(event.id, of: self)
    _ = peripheral.update(name: event.name ?? "")
    delegate?.centralManager(
      self, connectionEventDidOccur: event.isConnected ? .peerConnected : .peerDisconnected, for: peripheral)
  }

  // MARK: Connections

  func didConnect(_ link: PeripheralLink) {
    guard let peripheral = link.peripheral.object, peripheral.didConnect(by: link) else { return }
    delegate?.centralManager(self, didConnect: peripheral)
  }

  /// The app has connected what is connected.
  func didConnectAgain(_ link: PeripheralLink) {
    guard let peripheral = link.peripheral.object, peripheral.isConnected(by: link) else { return }
    delegate?.centralManager(self, didConnect: peripheral)
  }

  func didFailToConnect(_ link: PeripheralLink, _ error: BluetoothError) {
    guard let peripheral = link.peripheral.object, let ending = peripheral.didEnd(link) else { return }
    if ending == .asked { return tellDisconnected(peripheral, DidDisconnect(id: link.id)) }
    didFailToConnect(peripheral, error)
  }

  func didFailToConnect(_ peripheral: CBPeripheral, _ error: BluetoothError) {
    delegate?.centralManager(self, didFailToConnect: peripheral, error: error.appError)
  }

  /// - Parameters:
  ///   - next: the connection that is made anew in its place.
  ///   - emulatedError: what an end is told with that the app has asked for.
  func didDisconnect(
    _ link: PeripheralLink, _ event: DidDisconnect, next: PeripheralLink?, emulatedError: BluetoothError? = nil
  ) {
    guard let peripheral = link.peripheral.object, let ending = peripheral.didEnd(link, next: next) else {
      return cancel(next)
    }
    var event = event
    event.isReconnecting = next != nil
    if ending == .asked {
      event.error = emulatedError
      event.isReconnecting = false
      cancel(next)
    }
    tellDisconnected(peripheral, event)
  }

  /// Nobody wants it any more.
  private func cancel(_ link: PeripheralLink?) {
    guard let link else { return }
    let session = session
    BridgeQueue.async { session.cancel(link) }
  }

  /// Calls the one of the two methods that the delegate has; of both, the older one, as Apple's does, unless the
  /// connection is being made again, which only the newer one can tell.
  private func tellDisconnected(_ peripheral: CBPeripheral, _ event: DidDisconnect) {
    guard let delegate else { return }
    let error = event.error?.appError
    let timestamp = event.timestamp ?? Date().timeIntervalSinceReferenceDate
    func older() { delegate.centralManager(self, didDisconnectPeripheral: peripheral, error: error) }
    func newer() {
      delegate.centralManager(
        self, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: event.isReconnecting,
        error: error)
    }
    if event.isReconnecting {
      if !isImplemented(newer) { older() }
    } else {
      if !isImplemented(older) { newer() }
    }
  }
}

extension BluetoothError {
  static let serviceLost = connectionTimeout.saying("The connection to the Bluetooth service has been lost.")
}

extension DidRestoreState {
  /// As given to `scanForPeripherals`.
  var scanOptions: [String: Any] {
    var options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: allowDuplicates)]
    if !solicitedServices.isEmpty {
      options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicitedServices.map { CBUUID($0) }
    }
    return options
  }
}

extension AdvertisementData {
  /// What CoreBluetooth gives with a discovery.
  ///
  /// - Parameter spelling: the widths of the services on air.
  fileprivate func appDictionary(_ spelling: UUIDSpelling) -> [String: Any] {
    var dictionary: [String: Any] = [
      CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable ?? true),
      // Not documented by Apple, but there, and read by apps.
      "kCBAdvDataTimestamp": Date().timeIntervalSinceReferenceDate,
      "kCBAdvDataRxPrimaryPHY": NSNumber(value: 1),
      "kCBAdvDataRxSecondaryPHY": NSNumber(value: 0),
    ]
    func add(_ uuids: [BluetoothUUID], _ key: String) {
      if !uuids.isEmpty { dictionary[key] = uuids.map { CBUUID($0, spelling) } }
    }
    if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
    add(serviceUUIDs, CBAdvertisementDataServiceUUIDsKey)
    add(overflowServiceUUIDs, CBAdvertisementDataOverflowServiceUUIDsKey)
    add(solicitedServiceUUIDs, CBAdvertisementDataSolicitedServiceUUIDsKey)
    if let manufacturerData { dictionary[CBAdvertisementDataManufacturerDataKey] = Data(manufacturerData) }
    if let txPowerLevel { dictionary[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPowerLevel) }
    if !serviceData.isEmpty {
      dictionary[CBAdvertisementDataServiceDataKey] = Dictionary(
        uniqueKeysWithValues: serviceData.map { (CBUUID($0.key), Data($0.value)) })
    }
    return dictionary
  }
}
