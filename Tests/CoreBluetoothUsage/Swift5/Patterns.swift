// As apps are written, not as this project is.
// swift-format-ignore-file

import CoreBluetooth

// What counted in the source of many apps: each pattern once, to be compiled.

final class Scanner: NSObject {
  private lazy var central = CBCentralManager(delegate: self, queue: .main)
  private let queue = DispatchQueue(label: "scanner")
  private var names: [CBPeripheral: String] = [:]
  private var seen = Set<CBUUID>()
  private var byService: [CBUUID: [CBCharacteristic]] = [:]
  private var timer: Timer?
  weak var forward: CBCentralManagerDelegate?
  weak var peripheralForward: CBPeripheralDelegate?

  func start() {
    if #available(iOS 13.1, macOS 10.15, *) {
      guard CBManager.authorization == .allowedAlways else { return }
    }
    queue.async { [weak self] in
      guard let self = self else { return }
      self.central.scanForPeripherals(
        withServices: nil,
        options: [
          CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true),
          "kCBScanOptionSolicitedServiceUUIDs": [CBUUID(string: "1812")],
        ])
    }
  }

  func describe(_ peripheral: CBPeripheral) -> String {
    let text = String(format: "%@", peripheral)
    switch peripheral.state {
    case .disconnected: return "disconnected \(text)"
    case .connecting, .disconnecting: return "changing"
    case .connected: return "connected \(peripheral)"
    @unknown default: return "unknown"
    }
  }

  func kind(of characteristic: CBCharacteristic) -> Int {
    switch characteristic.uuid {
    case CBUUID(string: "2A19"): return 1
    case CBUUID(string: CBUUIDClientCharacteristicConfigurationString): return 2
    default: return characteristic.properties.contains([.read, .notify]) ? 3 : Int(characteristic.properties.rawValue)
    }
  }

  func reason(_ error: Error?) -> String {
    if let error = error as? CBError, error.code == .peripheralDisconnected { return "gone" }
    if let error = error as? CBATTError { return "ATT \(error.code.rawValue)" }
    if let error = error as NSError?, error.domain == CBErrorDomain,
      error.code == CBError.Code.connectionTimeout.rawValue
    {
      return error.localizedDescription
    }
    return (error as NSError?)?.domain ?? ""
  }

  func attempt(_ body: () throws -> Void) -> Int {
    do { try body() } catch CBError.connectionTimeout {
      return 6
    } catch let error as CBATTError where error.code == .insufficientEncryption {
      return 15
    } catch {
      return 0
    }
    return -1
  }
}

extension Scanner: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: start()
    case .poweredOff, .resetting, .unauthorized, .unsupported, .unknown: break
    @unknown default: break
    }
    if central.state.rawValue == 5, CBManagerState(rawValue: 4) == .poweredOff { print("\(central.state)") }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    let data = advertisementData["kCBAdvDataManufacturerData"] as? Data
    let connectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
    guard RSSI.intValue > -90, connectable, data != nil else { return }
    seen.formUnion(services)
    names[peripheral] = name ?? peripheral.identifier.uuidString
    forward?.centralManager?(
      central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
    central.connect(
      peripheral,
      options: [
        CBConnectPeripheralOptionNotifyOnDisconnectionKey: true, CBConnectPeripheralOptionEnableAutoReconnect: true,
      ])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices([CBUUID(string: "180F")])
    let again = central.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first
    if again === peripheral, again?.services == nil { forward?.centralManager?(central, didConnect: peripheral) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?
  ) { print(reason(error), isReconnecting) }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    let restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    restored.forEach { $0.delegate = self }
  }
}

extension Scanner: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] where service.uuid.uuidString == "180F" {
      peripheral.discoverCharacteristics(nil, for: service)
    }
    peripheralForward?.peripheral?(peripheral, didDiscoverServices: error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    byService[service.uuid, default: []] += service.characteristics ?? []
    for characteristic in service.characteristics ?? [] {
      if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
      let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
      if peripheral.canSendWriteWithoutResponse {
        peripheral.writeValue(Data(count: length), for: characteristic, type: .withoutResponse)
      }
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    guard let value = characteristic.value, characteristic.service?.peripheral === peripheral else { return }
    print(value.map { String(format: "%02x", $0) }.joined())
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
    guard let channel = channel else { return }
    channel.inputStream.delegate = self
    channel.inputStream.schedule(in: .main, forMode: .default)
    channel.inputStream.open()
    channel.outputStream.open()
  }
}

extension Scanner: StreamDelegate {
  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasBytesAvailable: break
    case .endEncountered, .errorOccurred: aStream.close()
    default: break
    }
  }
}

protocol Central: AnyObject {
  init(delegate: CBCentralManagerDelegate?, queue: DispatchQueue?, options: [String: Any]?)
  var isScanning: Bool { get }
  func stopScan()
}

extension CBCentralManager: Central {}

extension CBPeripheral: @unchecked Sendable {}

extension CBCharacteristic {
  var canNotify: Bool { properties.contains(.notify) || properties.contains(.indicate) }
}

// Not of `CBManagerState`, as apps do: it counts for the whole process, and other tests print that one.
extension CBPeripheralManagerConnectionLatency: @retroactive CustomStringConvertible {
  public var description: String { self == .low ? "low" : "not low" }
}
