import BridgeProtocol
import CoreBluetooth

extension AdvertisementData {
  /// Of a dictionary by Apple's keys; what is of the wrong type is left out.
  init(appDictionary dictionary: [String: Any]) {
    func uuids(_ key: String) -> [BluetoothUUID] { (dictionary[key] as? [CBUUID] ?? []).map(\.value) }
    func number(_ key: String) -> Int? { (dictionary[key] as? NSNumber)?.intValue ?? dictionary[key] as? Int }
    self.init(
      localName: dictionary[CBAdvertisementDataLocalNameKey] as? String,
      isConnectable: dictionary[CBAdvertisementDataIsConnectable] as? Bool
        ?? number(CBAdvertisementDataIsConnectable).map { $0 != 0 } ?? true,
      serviceUUIDs: uuids(CBAdvertisementDataServiceUUIDsKey),
      overflowServiceUUIDs: uuids(CBAdvertisementDataOverflowServiceUUIDsKey),
      solicitedServiceUUIDs: uuids(CBAdvertisementDataSolicitedServiceUUIDsKey),
      manufacturerData: (dictionary[CBAdvertisementDataManufacturerDataKey] as? Data).map { [UInt8]($0) },
      txPowerLevel: number(CBAdvertisementDataTxPowerLevelKey))
    for (uuid, data) in dictionary[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
      serviceData[uuid.value] = [UInt8](data)
    }
  }
}
